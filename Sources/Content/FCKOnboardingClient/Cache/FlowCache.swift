internal import FCKOnboardingFlow
package import FoundationEssentials
import TesseraDurableFiles
internal import TesseraHTTPClient
import TesseraJSON

/// The last answers for each placement, in files of mode 0600 in `$XDG_CACHE_HOME/<program>/fckonboarding`. Each write is
/// atomic and durable. A file that cannot be read, is of another format, or of another scope counts as absent. Its calls
/// block.
package struct FlowCache: Sendable {
  /// The placements that are kept. The oldest ones make room.
  package static let maximumCount = 16
  /// Each byte of an answer can be a control character, which takes six in JSON.
  private static let maximumSize = 6 * FlowConfigLimits.documentSize + (64 << 10)
  private static let prefix = "placement-"
  private static let suffix = ".json"

  package let folder: String

  package init(folder: String) { self.folder = folder }

  /// The folder of a program.
  package static func folder(_ environment: [String: String], program: String) -> String {
    "\(UserFolders.cache(environment))/\(program)/fckonboarding"
  }

  package func placement(_ name: String, scope: String) -> CachedPlacement? {
    // In a folder where another user can create files, the flow could be that user's.
    guard FCKAPIClient.isPlacement(name), (try? PrivateFolder(path: folder).isOwn()) == true,
      let bytes = try? file(name).bytes(upTo: Self.maximumSize)
    else { return nil }
    return CachedPlacement(file: bytes, scope: scope)
  }

  /// - Throws: `FolderError`
  package func store(_ placement: CachedPlacement, for name: String, scope: String) throws {
    guard FCKAPIClient.isPlacement(name) else { return }
    PrivateFolder(path: folder).removeLeftovers()
    _ = try file(name).write(placement.file(scope: scope), replacing: true)
    try removeOldest()
  }

  /// - Throws: `FolderError`
  package func remove(_ name: String) throws {
    guard FCKAPIClient.isPlacement(name) else { return }
    _ = try file(name).remove()
  }

  /// Removes the answers for all placements.
  ///
  /// - Throws: `FolderError`
  package func clear() throws {
    for file in try files() { _ = try file.remove() }
  }

  private func removeOldest() throws {
    let dated = try files().compactMap { file in try file.identity().map { (file, $0) } }
    guard dated.count > Self.maximumCount else { return }
    let sorted = dated.sorted { ($0.1.seconds, $0.1.nanoseconds) < ($1.1.seconds, $1.1.nanoseconds) }
    for (file, _) in sorted.prefix(dated.count - Self.maximumCount) { _ = try file.remove() }
  }

  private func files() throws -> [DurableFile] {
    try PrivateFolder(path: folder).names().filter { $0.hasPrefix(Self.prefix) && $0.hasSuffix(Self.suffix) }
      .map { DurableFile(path: "\(folder)/\($0)") }
  }

  /// Encoded names are different for different placements, and short enough for a file.
  private func file(_ name: String) -> DurableFile {
    DurableFile(path: "\(folder)/\(Self.prefix)\(PercentEncoding.component(name))\(Self.suffix)")
  }
}

/// What a server sent for a placement, as it came.
package struct CachedPlacement: Sendable, Equatable {
  /// The version of the files.
  static let format = 1
  /// A cached flow that is older is only used if the server cannot be asked.
  package static let softAge: TimeInterval = 24 * 60 * 60

  package var body: [UInt8]
  /// The header `ETag`.
  package var entityTag: String?
  /// When the server sent it, or said that it is still valid.
  package var time: Date

  package init(body: [UInt8], entityTag: String?, time: Date) {
    self.body = body
    self.entityTag = entityTag
    self.time = time
  }

  /// Whether it is younger than 24 hours. One from the future is not: the clock was set back.
  func isFresh(at now: Date) -> Bool { (0..<Self.softAge).contains(now.timeIntervalSince(time)) }
}

extension CachedPlacement {
  /// Reads a record.
  ///
  /// - Parameter file: `{"format": 1, "scope": "…", "etag": "…", "time": "2030-01-02T03:04:05Z", "body": "…"}`
  /// - Returns: nil if it is damaged, or of another scope.
  init?(file: [UInt8], scope: String) {
    guard let text = String(validating: file, as: UTF8.self), let record = try? JSONValue(text: text),
      record["format"] == .integer(Int64(Self.format)), record["scope"] == .string(scope),
      let time = record["time"]?.stringValue.flatMap(Timestamp.date), let body = record["body"]?.stringValue
    else { return nil }
    self.init(body: Array(body.utf8), entityTag: HeaderText.usable(record["etag"]?.stringValue), time: time)
  }

  /// The content of the file. The body is UTF-8: it was decoded.
  func file(scope: String) -> [UInt8] {
    var record: JSONObject = [
      "format": .integer(Int64(Self.format)), "scope": .string(scope), "time": .string(Timestamp.text(time)),
    ]
    record["etag"] = entityTag.map { .string($0) }
    record["body"] = .string(String(decoding: body, as: UTF8.self))
    return Array(JSONValue.object(record).text.utf8)
  }
}
