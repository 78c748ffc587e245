import ArgumentParser
import Foundation
import Synchronization
import Tessera

struct CallCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call",
    abstract: "Sends one bridge request and prints the answer's data.",
    discussion: """
      Examples:
        tessera call nfc.isSupported
        tessera call nfc.scan '{"passportNumber":"L898902C3","dateOfBirth":"740812","dateOfExpiry":"120415"}'
      """)

  @Argument(help: ArgumentHelp("What to call.", valueName: "domain.method"))
  var target: String

  @Argument(help: ArgumentHelp("The parameters, one JSON object; - reads them from standard input.", valueName: "json"))
  var parameters = "{}"

  @OptionGroup(title: "Where") var card: CardOptions

  @Flag(help: "Print the events of the request to standard error, one JSON message a line.")
  var events = false

  @Flag(help: "Print errors to standard output too, as one JSON object.")
  var json = false

  func run() async throws {
    let request = try request()
    let source = try card.source(try card.virtualFiles())
    let router = Tessera.configure(cards: source)
    let line = ProgressLine()
    let events = events
    let answer = Mutex<Result<JSONValue, BridgeError>>(.failure(BridgeError("INTERNAL_ERROR", "No answer came.")))
    try await Interruption.cancelling {
      await router.route(request) { message in
        switch message {
        case .event(_, _, let data):
          if events { Note.writeLine(message.text) } else { line.show(data["message"]?.stringValue ?? "") }
        case .response(_, _, let outcome): answer.withLock { $0 = outcome }
        }
      }
    }
    line.clear()
    switch answer.withLock({ $0 }) {
    case .success(let data): print(data.text)
    case .failure(let error): throw failure(error)
    }
  }

  private func request() throws -> BridgeRequest {
    let parts = target.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[1].isEmpty else {
      throw Failure(
        .usage, "The target of a call is DOMAIN.METHOD.", remedy: "For example: tessera call nfc.isSupported")
    }
    guard let domain = BridgeDomain(rawValue: parts[0]) else {
      let names = BridgeDomain.allCases.map(\.rawValue).joined(separator: ", ")
      throw Failure(.usage, "The bridge has no domain \"\(parts[0])\".", remedy: "Its domains are \(names).")
    }
    var text = parameters
    if text == "-" {
      text = String(decoding: try FileHandle.standardInput.readToEnd() ?? Data(), as: UTF8.self)
    }
    guard case .object(let values)? = try? JSONValue(text: text) else {
      throw Failure(.usage, "The parameters are not a JSON object.", remedy: #"For example: '{"sessionId":"1"}'"#)
    }
    return BridgeRequest(
      id: UUID().uuidString.lowercased(), domain: domain, method: parts[1], parameters: BridgeParameters(values))
  }

  /// The bridge's error with an exit status.
  private func failure(_ error: BridgeError) -> ExitCode {
    let fallback: FailureKind =
      switch error.code {
      case "NOT_CONFIGURED": .noReader
      case "INTERNAL_ERROR", "PARSE_ERROR": .internalError
      default: .usage
      }
    Note.write("\(error.code): \(error.failure?.description ?? error.message)")
    if json {
      let body: JSONValue = [
        "code": .string(error.code), "message": .string(error.message), "details": error.details ?? [:],
      ]
      print((["error": body] as JSONValue).text)
    }
    return ExitCode((error.failure?.kind ?? fallback).exitStatus)
  }
}
