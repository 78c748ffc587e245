import ArgumentParser
import Foundation
import Service
import Synchronization
import Tessera

struct CallCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call",
    abstract: "Sends one bridge request and prints the answer's data.",
    discussion: """
      Asks the running service (`tessera serve`) where there is one, and does it in this process otherwise, or
      where an option says with which reader, key store or origin.

      Examples:
        tessera call nfc.isSupported
        tessera call nfc.scan - < key.json
        tessera call crypto.generateKey '{"keyRef": "k1"}'
        tessera call haptic.trigger '{"type": "success"}'

      where key.json holds the parameters, for example
        {"passportNumber": "L898902C3",
         "dateOfBirth": "740812", "dateOfExpiry": "120415"}
      """)

  @Argument(help: ArgumentHelp("What to call.", valueName: "domain.method"))
  var target: String

  @Argument(help: ArgumentHelp("The parameters, one JSON object; - reads them from standard input.", valueName: "json"))
  var parameters: String?

  @OptionGroup(title: "Where") var card: CardOptions

  @OptionGroup(title: "Keys") var store: StoreOptions

  @Option(help: ArgumentHelp("Ask as a page of this web origin would.", valueName: "origin"))
  var origin: String?

  @Flag(help: "Do it in this process, whether a service is running or not.")
  var inProcess = false

  @Option(
    help: ArgumentHelp("Ask the service at this Unix socket, and fail where there is none.", valueName: "path"))
  var socket: String?

  @Flag(help: "Print the events of the request to standard error, one JSON message a line.")
  var events = false

  @Flag(help: "Print errors to standard output too, as one JSON object.")
  var json = false

  func run() async throws {
    var card = card
    var parameters = parameters
    // `--virtual` takes the next word for a profile; a JSON object is none.
    if parameters == nil, let word = card.virtualProfile, word.hasPrefix("{") || word == "-" {
      parameters = word
      card.virtualProfile = ChipProfile.bac.name
    }
    let request = try request(parameters ?? "{}")
    let line = ProgressLine()
    let events = events
    let show: @Sendable (String, JSONValue) -> Void = { text, data in
      if events { Note.writeLine(text) } else { line.show(data["message"]?.stringValue ?? "") }
    }
    var answer = try await askService(request, show)
    if answer == nil { answer = try await answerHere(request, card, show) }
    line.clear()
    switch answer ?? .failure(BridgeError("INTERNAL_ERROR", "No answer came.")) {
    case .success(let data): try StandardOutput.write(data.text)
    case .failure(let error): throw failure(error)
    }
  }

  func validate() throws {
    if inProcess, socket != nil { throw ValidationError("--in-process and --socket exclude each other.") }
    if socket != nil, saysWhere { throw ValidationError("--socket leaves reader, store and origin to the service.") }
  }

  /// Whether an option says with what it is to be done, which the service decides for itself.
  private var saysWhere: Bool {
    card.reader != nil || card.nfc != nil || card.virtualProfile != nil || card.wait != nil || store.isGiven
      || origin != nil
  }

  /// - Returns: nil where it is to be done here.
  private func askService(
    _ request: BridgeRequest, _ show: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> Result<JSONValue, BridgeError>? {
    guard !inProcess, !saysWhere else { return nil }
    guard
      let path = socket.map(ServeCommand.absolute) ?? (try? SocketPath.standard(ProcessInfo.processInfo.environment))
    else { return nil }
    let outcome: BridgeClient.Outcome
    do {
      outcome = try await Interruption.cancelling {
        try await BridgeClient(socketPath: path).call(request, onEvent: show)
      }
    } catch is CancellationError {
      return .failure(BridgeError(CancellationError()))
    }
    switch outcome {
    case .answer(let answer): return answer
    case .noService where socket == nil: return nil
    case .noService:
      throw Failure(
        .serviceUnavailable, "No service is running at that socket.",
        remedy: "Start one with `tessera serve --socket PATH`, or leave the option out.")
    }
  }

  private func answerHere(
    _ request: BridgeRequest, _ card: CardOptions, _ show: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> Result<JSONValue, BridgeError> {
    let source = try card.source(try card.virtualFiles())
    let keys = try store.keys()
    let registry = SdkProviderRegistry()
    // No page waits here, and --wait says how long a person does.
    let router = Tessera.configure(
      registry: registry, cards: source, keys: keys, person: CommandConfirmation(), scanTimeLimit: nil)
    let answer = Mutex<Result<JSONValue, BridgeError>>(.failure(BridgeError("INTERNAL_ERROR", "No answer came.")))
    try await Interruption.cancelling {
      await router.route(request) { message in
        switch message {
        case .event(_, _, let data): show(message.text, data)
        case .response(_, _, let outcome): answer.withLock { $0 = outcome }
        }
      }
    }
    // The end of this program would be the end of what is felt.
    await registry.providers.haptic?.finish()
    return answer.withLock { $0 }
  }

  private func request(_ parameters: String) throws -> BridgeRequest {
    let parts = target.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[1].isEmpty else {
      throw Failure(
        .usage, "The target of a call is DOMAIN.METHOD.", remedy: "For example: tessera call nfc.isSupported")
    }
    guard let domain = BridgeDomain(rawValue: parts[0]) else {
      let names = BridgeDomain.allCases.map(\.rawValue).joined(separator: ", ")
      throw Failure(.usage, "The bridge has no domain of that name.", remedy: "Its domains are \(names).")
    }
    var text = parameters
    if text == "-" {
      text = try StandardInput.read(upToCount: 1 << 20)
    }
    guard case .object(let values)? = try? JSONValue(text: text) else {
      throw Failure(.usage, "The parameters are not a JSON object.", remedy: #"For example: '{"sessionId":"1"}'"#)
    }
    return BridgeRequest(
      id: UUID().uuidString.lowercased(), domain: domain, method: parts[1], parameters: BridgeParameters(values),
      caller: try origin.map { .web(origin: try WebOrigin(named: $0).canonical) } ?? .local)
  }

  /// The bridge's error with an exit status.
  private func failure(_ error: BridgeError) -> ExitCode {
    Note.write("\(error.code): \(error.failure?.description ?? error.message)")
    if json {
      let details = error.details ?? .object(JSONObject((error.failure?.details ?? [:]).mapValues(JSONValue.string)))
      let body: JSONValue = ["code": .string(error.code), "message": .string(error.message), "details": details]
      try? StandardOutput.write((["error": body] as JSONValue).text)
    }
    return ExitCode(ErrorOutput.status(of: error.failure?.kind ?? FailureKind(bridgeCode: error.code)))
  }
}
