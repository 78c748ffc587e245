internal import FCKOnboardingFlow
import TesseraDurableFiles
internal import TesseraHTTPClient

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
