import ArgumentParser
import FoundationEssentials
import Logging
import ReRune
import Tessera
import TesseraCommandLine
import TesseraHTTPClient
import TesseraLocales

/// The texts that a command of `tessera strings` is about.
struct StringsOptions: ParsableArguments {
  private static let idVariable = "TESSERA_RERUNE_ID"

  @Option(
    help: ArgumentHelp(
      "The publish id of the texts; otherwise that of the variable TESSERA_RERUNE_ID.", valueName: "id"))
  var publishId: String?

  @Option(help: ArgumentHelp("The language, for example de-AT; otherwise that of the environment.", valueName: "tag"))
  var locale: String?

  @Option(
    help: ArgumentHelp("The bundled texts: a folder with <tag>.lproj/Localizable.strings.", valueName: "folder"),
    completion: .directory)
  var resources: String?

  /// The texts of the bundled files and of the cache. Nothing is asked of the server yet.
  func strings() throws -> OverTheAirStrings {
    let environment = ProcessInfo.processInfo.environment
    var configuration = StringsConfiguration(
      id: try id(environment), chain: try chain(environment), resources: try resources.map(Self.folder),
      cacheFolder: StringsConfiguration.cacheFolder(application: "tessera", environment),
      transport: HTTPSClient(environment: environment))
    configuration.logger = Logger(label: "tessera") { _ in WarningHandler() }
    let strings = OverTheAirStrings()
    strings.setup(configuration)
    return strings
  }

  private func id(_ environment: [String: String]) throws -> PublishId {
    guard let text = publishId ?? environment[Self.idVariable], let id = try? PublishId(text) else {
      throw Failure(
        .usage, "No publish id is given.", remedy: "Use --publish-id ID, or set the variable \(Self.idVariable).")
    }
    return id
  }

  private func chain(_ environment: [String: String]) throws -> LocaleChain {
    guard let locale else { return LocaleChain(environment: environment) }
    guard LocaleTag(locale) != nil else {
      throw Failure(.usage, "The locale is no language tag.", remedy: "Use a tag such as de or de-AT.")
    }
    return LocaleChain(locale)
  }

  private static func folder(_ path: String) throws -> String {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder else {
      throw Failure(.usage, "There is no folder \(path).", remedy: "Use the folder that contains the lproj folders.")
    }
    return path
  }
}

/// Shows warnings as notes. The command reports errors itself.
private struct WarningHandler: LogHandler {
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.warning

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    if event.level == .warning { Note.write("\(event.message)") }
  }
}
