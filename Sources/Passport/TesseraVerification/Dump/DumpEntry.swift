import TesseraPassport

/// A file of a dump.
struct DumpEntry: Sendable, Equatable {
  let name: String
  let bytes: [UInt8]
}

/// The files of a dump by their names, read but not verified.
struct DumpEntries: Sendable {
  private(set) var entries: [DumpEntry] = []
  /// The digital travel credential that was read in the place of a dump.
  var credential: TravelCredential?
  private var size = 0

  init() {}

  subscript(name: String) -> DumpEntry? { entries.first { $0.name == name } }

  /// - Throws: `DumpError.tooLarge` if all files together are too large, `.modified` if there is such a name already.
  mutating func add(_ entry: DumpEntry) throws(DumpError) {
    guard entry.bytes.count <= SavedDump.maximumSize - size else { throw .tooLarge("The dump") }
    guard self[entry.name] == nil else { throw .modified(entry.name) }
    size += entry.bytes.count
    entries.append(entry)
  }

  /// - Parameters:
  ///   - byName: whether the names identify the files, as in a dump with a manifest; otherwise the first tags do.
  ///   - order: the names in the order of reading. Files that it does not contain come last.
  /// - Throws: `DumpError.ambiguous` if two files have the same tag.
  func elementaryFiles(
    byName: Bool, order: [String]
  ) throws(DumpError) -> [(file: ElementaryFile, entry: DumpEntry)] {
    var found: [ElementaryFile: DumpEntry] = [:]
    for entry in entries {
      let file =
        byName
        ? DumpNames.files[entry.name] : ElementaryFile(recognizing: entry.bytes, name: entry.name)
      guard let file else { continue }
      guard found.updateValue(entry, forKey: file) == nil else { throw .ambiguous(file) }
    }
    let places = Dictionary(order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let files = ElementaryFile.all.compactMap { file in found[file].map { (file, $0, places[$0.name] ?? Int.max) } }
    // Stable: `ElementaryFile.all` gives the order of files with the same place.
    return files.enumerated().sorted { ($0.element.2, $0.offset) < ($1.element.2, $1.offset) }
      .map { ($0.element.0, $0.element.1) }
  }
}
