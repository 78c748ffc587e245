import ArgumentParser
import FoundationEssentials
import Synchronization
import Tessera
import TesseraCommandLine
import TesseraService

struct CallCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: SiblingCommand.call.name,
    abstract: SiblingCommand.call.abstract,
    discussion: """
      The running service (`tessera serve`) handles the request. This process handles it if no service is running, or \
      if an option selects the reader, the key store or the origin.

      A file with the parameters contains one JSON object, for example for nfc.scan:
        {"passportNumber": "L898902C3",
         "dateOfBirth": "740812", "dateOfExpiry": "120415"}

      Examples:
        tessera call nfc.isSupported
        tessera call nfc.scan - < key.json
        tessera call crypto.generateKey '{"keyRef": "k1"}'
        tessera call haptic.trigger '{"type": "success"}'
      """)

  @Argument(help: ArgumentHelp("The domain and the method of the request.", valueName: "domain.method"))
  var target: String

  @Argument(help: ArgumentHelp("The parameters as one JSON object; - for standard input.", valueName: "json"))
  var parameters: String?

  @OptionGroup(title: "Reader") var card: CardOptions

  @OptionGroup(title: "Key store") var store: StoreOptions

  @Option(
    help: ArgumentHelp("Send the request as a web page of this origin.", valueName: "origin"),
    completion: NameCompletion.origins)
  var origin: String?

  @Flag(help: "Handle the request in this process even if a service is running.")
  var inProcess = false

  @Option(
    help: ArgumentHelp("Use the service at this Unix socket; fail if none is listening.", valueName: "path"),
    completion: .file())
  var socket: String?

  @Flag(help: "Print the events of the request to standard error, one JSON message per line.")
  var events = false

  @Flag(help: "Also print errors to standard output, as one JSON object.")
  var json = false

  func run() async throws {
    var card = card
    var (target, parameters) = (target, parameters)
    // The parser assigns the word after `--virtual` to its profile, even if it is the method or the parameters.
    if parameters == nil, let word = card.virtualProfile {
      if Self.isParameters(word) {
        parameters = word
        card.virtualProfile = ChipProfile.bac.name
      } else if word.contains("."), Self.isParameters(target) {
        (target, parameters) = (word, target)
        card.virtualProfile = ChipProfile.bac.name
      }
    }
    let request = try request(target, parameters ?? "{}")
    let line = ProgressLine()
    let events = events
    let show: @Sendable (String, JSONValue) -> Void = { text, data in
      if events { return Note.writeLine(PrintableText.escaped(json: text)) }
      line.show(Terminal.printable(data["message"]?.stringValue ?? ""))
    }
    var response = try await responseOfService(request, show)
    if response == nil { response = try await responseInProcess(request, card, show) }
    line.clear()
    switch response ?? Self.noResponse {
    case .success(let data): try StandardOutput.write(data.text)
    case .failure(let error): throw exit(error)
    }
  }

  private static func isParameters(_ word: String) -> Bool { word.hasPrefix("{") || word == "-" }

  private static let noResponse = Result<JSONValue, BridgeError>.failure(
    BridgeError("INTERNAL_ERROR", "The bridge sent no response."))

  func validate() throws {
    if inProcess, socket != nil { throw ValidationError("--in-process and --socket are mutually exclusive.") }
    if socket != nil, requiresThisProcess {
      throw ValidationError("--socket excludes options for the reader, the key store and the origin.")
    }
  }

  /// Whether an option overrides one with which the service was started.
  private var requiresThisProcess: Bool {
    card.reader != nil || card.nfc != nil || card.virtualProfile != nil || card.wait != nil || store.isGiven
      || origin != nil
  }

  /// - Returns: nil if this process is to handle the request.
  private func responseOfService(
    _ request: BridgeRequest, _ show: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> Result<JSONValue, BridgeError>? {
    guard !inProcess, !requiresThisProcess else { return nil }
    let given = socket.map { URL(fileURLWithPath: $0).standardizedFileURL.path }
    guard let path = given ?? (try? SocketPath.standard(ProcessInfo.processInfo.environment)) else { return nil }
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
        remedy: "Start one with `tessera serve --socket PATH`, or omit --socket.")
    }
  }

  private func responseInProcess(
    _ request: BridgeRequest, _ card: CardOptions, _ show: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> Result<JSONValue, BridgeError> {
    let virtual = try card.virtualDocument()
    let source = try card.source(virtual?.files)
    let keys = try store.keys()
    let registry = SdkProviderRegistry()
    // A scan has no time limit here: --wait limits the wait for a document.
    let router = MessageRouter.withSystemProviders(
      registry: registry, cards: source, trust: TrustOptions.scans(virtual?.country), keys: keys,
      person: CommandConfirmation(), scanTimeLimit: nil)
    let response = Mutex(Self.noResponse)
    try await Interruption.cancelling {
      await router.route(request) { message in
        switch message {
        case .event(_, _, let data): show(message.text, data)
        case .response(_, _, let outcome): response.withLock { $0 = outcome }
        case .refusal(_, _, let error): response.withLock { $0 = .failure(error) }
        }
      }
    }
    // The kernel stops a haptic effect when the process that plays it exits.
    await registry.providers.haptic?.finish()
    return response.withLock { $0 }
  }

  private func request(_ target: String, _ parameters: String) throws -> BridgeRequest {
    let parts = target.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[1].isEmpty else {
      throw Failure(
        .usage, "The target must have the form DOMAIN.METHOD.", remedy: "For example: tessera call nfc.isSupported")
    }
    guard let domain = BridgeDomain(rawValue: parts[0]) else {
      let names = BridgeDomain.published.map(\.rawValue).joined(separator: ", ")
      throw Failure(.usage, "The bridge has no such domain.", remedy: "Use one of these domains: \(names).")
    }
    var text = parameters
    if text == "-" {
      text = try StandardInput.read(upToCount: 1 << 20)
    }
    guard case .object(let values)? = try? JSONValue(handwritten: text.utf8) else {
      throw Failure(
        .usage, "The parameters are not a JSON object.", remedy: #"Specify an object, for example '{"sessionId":"1"}'."#
      )
    }
    return BridgeRequest(
      id: UUID().uuidString.lowercased(), domain: domain, method: parts[1], parameters: BridgeParameters(values),
      caller: try origin.map { .web(origin: try WebOrigin(named: $0).canonical) } ?? .local)
  }

  /// Prints the error and converts it to an exit status.
  private func exit(_ error: BridgeError) -> ExitCode {
    let message = error.failure.map { ErrorOutput.message($0, CommandRemedy.text(for: $0.kind)) } ?? error.message
    Note.write("\(error.code): \(message)")
    if json {
      let details = error.details ?? .object(JSONObject((error.failure?.details ?? [:]).mapValues(JSONValue.string)))
      let body: JSONValue = ["code": .string(error.code), "message": .string(error.message), "details": details]
      try? StandardOutput.write((["error": body] as JSONValue).text)
    }
    return ExitCode(ErrorOutput.status(of: error.failure?.kind ?? FailureKind(bridgeCode: error.code)))
  }
}
