import ArgumentParser
import Dispatch
import FoundationEssentials
import Glibc
import PassageProtocol
import TesseraCore
import TesseraDurableFiles
import TesseraJSON

/// Shows Passage for the user at a shell, as a host program does.
struct OpenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open",
    abstract: "Shows Passage, and prints what a host program is told, one JSON object per line.",
    usage: "tessera-passage open [<options>]",
    discussion: """
      The intent token comes from a file or from standard input. An argument would show it to every user of this \
      machine. Each address can also come from the environment: TESSERA_PASSAGE_UI_URL, TESSERA_PASSAGE_API_URL, \
      TESSERA_PASSAGE_SOCKET_URL, TESSERA_PASSAGE_SESSION_URL, TESSERA_PASSAGE_AUTOMATION_URL.

      The status is 0 after success, 8 if the user closed the window, 3 after an error, and 130 after Control-C.

      Example:
        tessera-passage open --ui-url https://ui.example \\
          --api-url https://api.example --token-file token.txt
      """)

  @Option(help: ArgumentHelp("The address of the branded page.", valueName: "url"))
  var uiUrl: String?

  @Option(help: ArgumentHelp("The address of the server that drives the page.", valueName: "url"))
  var apiUrl: String?

  @Option(help: ArgumentHelp("The address of the socket (default: that of the server).", valueName: "url"))
  var socketUrl: String?

  @Option(
    help: ArgumentHelp("The address of a server that also records the results (default: none).", valueName: "url"))
  var sessionUrl: String?

  @Option(
    help: ArgumentHelp(
      "The address for the configuration and the results (default: that of the server).", valueName: "url"))
  var automationUrl: String?

  @Option(help: ArgumentHelp("The namespace of the socket.", valueName: "name"))
  var namespace = "/ws"

  @Option(
    help: ArgumentHelp("The file with the intent token; - for standard input.", valueName: "file"), completion: .file())
  var tokenFile = "-"

  @Flag(help: "Fill the screen.")
  var fullScreen = false

  func run() throws {
    let config = try configuration(ProcessInfo.processInfo.environment)
    _ = try PassageServers(config)
    let opening = PassageOpening(intentToken: try token(), presentation: fullScreen ? .fullScreen : .modal)
    throw ExitCode(try SessionShowing(config, opening).run())
  }

  private func configuration(_ environment: [String: String]) throws(Failure) -> PassageConfig {
    func address(_ option: String?, _ name: String) -> String? { option ?? environment["TESSERA_PASSAGE_\(name)"] }
    guard let ui = address(uiUrl, "UI_URL"), let api = address(apiUrl, "API_URL") else {
      throw Failure(
        .usage, "Passage does not know its servers: no address is built in.",
        remedy: "Use --ui-url and --api-url, or set TESSERA_PASSAGE_UI_URL and TESSERA_PASSAGE_API_URL.")
    }
    var config = PassageConfig(
      uiUrl: ui, apiUrl: api, socketUrl: address(socketUrl, "SOCKET_URL"),
      sessionUrl: address(sessionUrl, "SESSION_URL"))
    config.automationUrl = address(automationUrl, "AUTOMATION_URL")
    config.socketNamespace = namespace
    return config
  }

  private func token() throws(Failure) -> String {
    let descriptor = tokenFile == "-" ? STDIN_FILENO : open(tokenFile, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    defer { if descriptor > STDIN_FILENO { close(descriptor) } }
    guard descriptor >= 0 else { throw Failure.unreadable(tokenFile, errno) }
    guard let bytes = InputBytes.read(descriptor, upTo: PassageOpening.maximumTokenLength),
      let text = String(validating: bytes, as: UTF8.self)
    else {
      throw Failure(
        .usage, "The intent token cannot be read.",
        remedy: "Use a file with one token of at most \(PassageOpening.maximumTokenLength) bytes.")
    }
    let token = text.split(whereSeparator: \.isWhitespace)
    guard token.count == 1, let token = token.first else {
      throw Failure(.usage, "There is no intent token, or more than one.", remedy: "Use a file with one token.")
    }
    return String(token)
  }
}
