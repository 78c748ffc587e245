import TesseraCryptography
import TesseraPassport
import TesseraSmartCard

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

/// The names of the files in a dump.
enum DumpNames {
  static let checksums = "SHA256SUMS"
  static let manifest = "manifest.json"
  static let evidence = "evidence.json"
  static let report = "report.json"

  /// The folder in which a new dump is whole while its files take the places of an older one's.
  static let pending = ".dump-new"

  /// `DG1.bin`, `EF.ATR-INFO.bin`.
  static func name(of file: ElementaryFile) -> String {
    file.name.replacing("/", with: "-") + ".bin"
  }

  /// The elementary files by their names.
  static let files: [String: ElementaryFile] = Dictionary(
    ElementaryFile.all.map { (name(of: $0), $0) }, uniquingKeysWith: { first, _ in first })

  static let all: Set<String> = Set(files.keys).union([checksums, manifest, evidence, report])
}

/// The file `SHA256SUMS` of a dump, in the form of the program `sha256sum`: a line for each file with 64 hexadecimal
/// digits, two spaces (or a space and an asterisk), and the name.
struct DumpChecksums {
  /// In the order of the lines.
  let names: [String]
  private let digests: [String: [UInt8]]

  /// nil if a line has another form, or a name occurs twice.
  init?(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    var names: [String] = []
    var digests: [String: [UInt8]] = [:]
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let rest = line.dropFirst(64)
      guard let digest = [UInt8](hexadecimal: Substring(line.prefix(64))), digest.count == 32,
        rest.starts(with: "  ".utf8) || rest.starts(with: " *".utf8)
      else { return nil }
      let name = String(Substring(rest.dropFirst(2)))
      guard !name.isEmpty, digests.updateValue(digest, forKey: name) == nil else { return nil }
      names.append(name)
    }
    guard !names.isEmpty else { return nil }
    (self.names, self.digests) = (names, digests)
  }

  /// The text of the file.
  static func text(of entries: [DumpEntry]) throws -> String {
    try entries.map { entry in
      "\(try HashAlgorithm.sha256.digest(of: entry.bytes).hexadecimal.lowercased())  \(entry.name)\n"
    }.joined()
  }

  func lists(_ name: String) -> Bool { digests[name] != nil }

  /// Whether the file is listed and has the digest of its line.
  func match(_ entry: DumpEntry) -> Bool {
    match(entry.name, try? HashAlgorithm.sha256.digest(of: entry.bytes))
  }

  /// - Parameter digest: SHA-256 of the file.
  func match(_ name: String, _ digest: [UInt8]?) -> Bool { digest.map { digests[name] == $0 } ?? false }
}
