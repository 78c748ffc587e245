package import Logging
import TesseraDurableFiles
package import TesseraHTTPClient
package import TesseraLocales

/// What a program chose in `setup`, and where it runs.
package struct StringsConfiguration: Sendable {
  package var id: PublishId
  package var chain: LocaleChain
  /// The folder of the `lproj` folders; nil for none.
  package var resources: String?
  /// The cache's folder of all publish ids.
  package var cacheFolder: String
  package var policy: ReRuneUpdatePolicy
  package var requestTimeout: Duration
  package var transport: any HTTPTransport
  package var logger = ReRuneLogLevel.none.logger()

  package init(
    id: PublishId, chain: LocaleChain, resources: String? = nil, cacheFolder: String,
    policy: ReRuneUpdatePolicy = ReRuneUpdatePolicy(checkOnStart: false), requestTimeout: Duration = .seconds(10),
    transport: any HTTPTransport
  ) {
    self.id = id
    self.chain = chain
    self.resources = resources
    self.cacheFolder = cacheFolder
    self.policy = policy
    self.requestTimeout = requestTimeout
    self.transport = transport
  }

  /// The name of the program's folder in the cache.
  ///
  /// - Parameters:
  ///   - name: the one that the caller chose; used if it is the name of a folder within another one.
  ///   - program: the name of the running file. Linux adds ` (deleted)` after an update has replaced the file.
  static func application(_ name: String?, program: String) -> String {
    if let name, !["", ".", ".."].contains(name), !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }) {
      return name
    }
    let mark = " (deleted)"
    return program.hasSuffix(mark) ? String(program.dropLast(mark.count)) : program
  }

  /// The cache of a program's texts, for all publish ids. It is in the cache folder rather than the data folder, since the
  /// texts can be downloaded again. This is the only place that decides it.
  package static func cacheFolder(application: String, _ environment: [String: String]) -> String {
    "\(UserFolders.cache(environment))/\(application)/rerune"
  }
}
