import Foundation
import TesseraDurableFiles
import TesseraLocales
import TestSupport

@testable import ReRune

/// A server, a cache and bundled texts in a folder of their own. Every `strings()` is the start of a process.
final class StringsLab: Sendable {
  let server = StubServer()
  let folder: TemporaryFolder
  let log = LogLines()
  static let id = "pub_3f7a9c"

  init() throws { folder = try TemporaryFolder() }

  func configuration(
    _ locale: String = "de-AT", id: String = StringsLab.id, policy: ReRuneUpdatePolicy = .init(checkOnStart: false)
  ) throws -> StringsConfiguration {
    var configuration = StringsConfiguration(
      id: try PublishId(id), chain: LocaleChain(locale), resources: folder.file("resources"),
      cacheFolder: folder.file("cache"), policy: policy, transport: server)
    configuration.logger = log.logger
    return configuration
  }

  func strings(
    _ locale: String = "de-AT", id: String = StringsLab.id, policy: ReRuneUpdatePolicy = .init(checkOnStart: false),
    clock: any Clock<Duration> = ContinuousClock()
  ) throws -> OverTheAirStrings {
    let strings = OverTheAirStrings(clock: clock)
    strings.setup(try configuration(locale, id: id, policy: policy))
    return strings
  }

  /// Writes a file of bundled texts.
  func bundle(_ content: String, _ language: String, table: String = "Localizable") throws {
    let lproj = folder.url.appendingPathComponent("resources/\(language).lproj")
    try FileManager.default.createDirectory(at: lproj, withIntermediateDirectories: true)
    try Data(content.utf8).write(to: lproj.appendingPathComponent("\(table).strings"))
  }

  /// Makes each write of this file of the cache fail, until the folder in its place is removed.
  func blockFile(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: "\(cacheFolder)/\(name)/x", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    chmod(cacheFolder, 0o700)
  }

  func unblockFile(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(cacheFolder)/\(name)") }

  func hasFile(_ name: String) -> Bool {
    (try? DurableFile(path: "\(cacheFolder)/\(name)").bytes(upTo: 1 << 26)) ?? nil != nil
  }

  var cacheFolder: String { folder.file("cache") + "/" + PublishId.hash(Self.id) }

  /// The content and the identity of each file of the cache. Each write gives a file a new identity.
  var cacheFiles: [String: CacheFile] {
    get throws {
      var files: [String: CacheFile] = [:]
      for name in try PrivateFolder(path: cacheFolder).names() {
        let file = DurableFile(path: "\(cacheFolder)/\(name)")
        files[name] = CacheFile(identity: try file.identity(), bytes: try file.bytes(upTo: 1 << 24) ?? [])
      }
      return files
    }
  }

  struct CacheFile: Equatable {
    let identity: FileIdentity?
    let bytes: [UInt8]
  }
}

extension StringTable {
  /// The texts by their keys.
  var dictionary: [String: String] { Dictionary(texts.map { ($0.key, $0.text) }) { _, last in last } }
}
