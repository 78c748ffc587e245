internal import TesseraPassport

/// Collects the bytes of a desk's files, which arrive in numbered parts.
struct PartCollector: Sendable {
  private var bytes: [UInt8] = []
  private var count = 0
  private var failure: FleetError?

  /// The bytes that are held.
  var size: Int { bytes.count }

  /// Whether further parts change nothing.
  var hasFailed: Bool { failure != nil }

  /// Adds a part. A desk does not wait for an answer to it, so an error is stated with the files.
  mutating func add(_ part: FilePart, _ limits: FleetLimits) {
    guard failure == nil else { return }
    guard part.number == count else { return fail(.incomplete) }
    guard part.data.bytes.count <= limits.partSize, bytes.count + part.data.bytes.count <= limits.readSize else {
      return fail(.tooLarge)
    }
    bytes += part.data.bytes
    count += 1
  }

  mutating func fail(_ code: FleetError.Code) {
    bytes = []
    failure = FleetError(code)
  }

  /// The files that a statement names, once it has arrived.
  ///
  /// - Throws: `FleetError` with the code `incomplete`, `tooLarge` or `malformed`.
  func files(
    _ statement: FilesStatement, _ limits: FleetLimits
  ) throws(FleetError) -> [(file: ElementaryFile, bytes: [UInt8])] {
    if let failure { throw failure }
    guard statement.parts == count else { throw FleetError(.incomplete) }
    guard statement.data.bytes.count <= limits.partSize,
      bytes.count + statement.data.bytes.count <= limits.readSize, statement.files.count <= limits.fileCount
    else { throw FleetError(.tooLarge) }
    var rest = (bytes + statement.data.bytes)[...]
    var files: [(file: ElementaryFile, bytes: [UInt8])] = []
    for entry in statement.files {
      guard let file = ElementaryFile.all.first(where: { $0.name == entry.name }),
        !files.contains(where: { $0.file == file }), (0...rest.count).contains(entry.length)
      else { throw FleetError(.malformed) }
      files.append((file, Array(rest.prefix(entry.length))))
      rest = rest.dropFirst(entry.length)
    }
    guard rest.isEmpty else { throw FleetError(.malformed) }
    return files
  }
}
