internal import Logging
internal import TesseraCore
internal import TesseraHTTPClient
internal import TesseraLocales

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
  internal import TesseraLocales
#endif

/// Texts that change without a new version of the program: the last good ones of a server, else the bundled ones, else
/// the key.
///
/// ```swift
/// ReRune.setup(otaPublishId: "pub_3f7a")
/// let title = reRuneString("home_title", value: "Welcome")
/// ```
///
/// `setup` reads the cache, so the first lookup finds the texts of the last update, also without a network. The language is
/// that of the environment, as gettext reads it: `LANGUAGE`, `LC_ALL`, `LC_MESSAGES`, `LANG`. The texts come from
/// `https://rerune.io`; a proxy, certificates and an offline mode are those of the environment (see `HTTPSClient`).
public enum ReRune {
  package static let shared = OverTheAirStrings()

  /// Starts with the texts of a publish id. Call it once, before the first lookup.
  ///
  /// A second call with the same id does nothing. With another id the texts of the first one are no longer used.
  ///
  /// - Precondition: `otaPublishId` is not blank.
  /// - Parameters:
  ///   - otaPublishId: identifies the texts at the server.
  ///   - updatePolicy: when to ask the server for new texts.
  ///   - resources: the folder with the bundled texts, `<tag>.lproj/Localizable.strings`; for a package's resources
  ///     `Bundle.module.resourcePath`. Nil for the folder of the program.
  ///   - applicationName: the name of the folder in the user's cache; nil for the name of the program.
  ///   - requestTimeout: the longest time that each request may take.
  public static func setup(
    otaPublishId: String, updatePolicy: ReRuneUpdatePolicy = ReRuneUpdatePolicy(), resources: String? = nil,
    applicationName: String? = nil, requestTimeout: Duration = .seconds(10), logLevel: ReRuneLogLevel = .warning
  ) {
    do {
      let id = try PublishId(otaPublishId)
      let environment = ProcessInfo.processInfo.environment
      let application = StringsConfiguration.application(applicationName, program: program.lastPathComponent)
      var configuration = StringsConfiguration(
        id: id, chain: LocaleChain(environment: environment),
        resources: resources ?? program.deletingLastPathComponent().path,
        cacheFolder: StringsConfiguration.cacheFolder(application: application, environment), policy: updatePolicy,
        requestTimeout: requestTimeout, transport: HTTPSClient(environment: environment))
      configuration.logger = logLevel.logger()
      shared.setup(configuration)
    } catch {
      // A program without an id is a mistake of its author. `fatalError` shows the text in a release build, too.
      fatalError(error.cause)
    }
  }

  private static var program: URL {
    URL(fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "/program")
  }

  /// Asks the server for new texts. A call during a check waits for the result of that check.
  ///
  /// - Returns: `failed` without a connection if `setup` was not called.
  public static func checkForUpdates() async -> ReRuneUpdateResult { await shared.checkForUpdates() }

  /// The languages that there are texts of, sorted by their tags: the bundled ones, and those that the server has. The texts
  /// of a language of the server are received when it is the user's.
  public static var availableLocales: [ReRuneLocale] { shared.languages }

  /// The language that `setLocale` chose; nil for that of the environment.
  public static var selectedLocale: String? { shared.selectedLocale }

  /// Looks up in the texts of a language from now on, whatever that of the environment is. The choice is not stored.
  ///
  /// Texts that were never received are asked for if the update policy has checks; until then lookups find those of the
  /// main language, and the bundled ones. Call it before or after `setup`.
  ///
  /// - Parameter locale: a tag such as `de-AT`; nil, or a text that is no tag, for the language of the environment.
  public static func setLocale(_ locale: String?) { shared.select(locale) }

  /// The number of the last manifest that the server sent, also if no text changed with it; 0 if there is none.
  public static var revision: Int { shared.revision }

  /// A new stream: the current revision first, then the revision after each change of the texts. The same number can come
  /// twice, since texts can change without a new number. A subscriber that is slow gets the last one only.
  ///
  /// The values arrive on the executor of the caller: a task of the main actor redraws without another step.
  public static var revisions: AsyncStream<Int> { shared.revisions() }
}

/// What is written to the log of the program (swift-log, with the label `rerune`). No level contains a text or more than
/// the first four characters of the publish id.
public enum ReRuneLogLevel: Sendable, CaseIterable {
  case none, error, warning, info, debug, verbose

  /// A logger with this level.
  func logger() -> Logger {
    let level: Logger.Level? =
      switch self {
      case .none: nil
      case .error: .error
      case .warning: .warning
      case .info: .info
      case .debug: .debug
      case .verbose: .trace
      }
    guard let level else { return Logger(label: "rerune") { _ in SwiftLogNoOpLogHandler() } }
    var logger = Logger(label: "rerune")
    logger.logLevel = level
    return logger
  }
}
