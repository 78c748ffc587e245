import Glibc
import TesseraBridge
import TesseraCommandLine
import TesseraCore
import TesseraJSON

/// Prints what a launch brought, or why it brought nothing.
struct ResultOutput {
  let isJSON: Bool

  /// The user closed the window.
  private static let cancelledStatus: Int32 = 8

  /// - Returns: the exit status.
  func show(_ result: VerificationResult) -> Int32 {
    do {
      try StandardOutput.write(isJSON ? result.json.text : Self.text(result))
      return 0
    } catch {
      return show(Failure(error))
    }
  }

  /// An invalid command line.
  func showUsage(_ message: String) -> Int32 {
    var text = message + "\n"
    text.withUTF8 { _ = OutputDescriptor.write(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
    write(code: FailureKind.usage.rawValue, message, [:])
    return FailureKind.usage.exitStatus
  }

  func showCancelled() -> Int32 {
    note("The window was closed without a result.")
    write(code: "CANCELLED", "The window was closed without a result.", [:])
    return Self.cancelledStatus
  }

  /// The end of a flow.
  ///
  /// - Returns: the exit status.
  func show(_ outcome: String, isFinished: Bool, _ answers: JSONObject, _ payload: JSONValue?) -> Int32 {
    let whole: JSONValue = ["outcome": .string(outcome), "answers": .object(answers), "payload": payload ?? .null]
    do { try StandardOutput.write(isJSON ? whole.text : JSONValue.object(answers).text) } catch {
      return show(Failure(error))
    }
    if !isFinished { note("The flow was closed before its end.") }
    return isFinished ? 0 : Self.cancelledStatus
  }

  /// What a page says: printable, at most this many Unicode scalars, and without the quotation marks that only this program
  /// writes around it. (A character can have any number of scalars.)
  private static func saying(_ text: String, upTo limit: Int) -> String {
    var saying = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(limit) {
      saying.append("“”„‟".unicodeScalars.contains(scalar) ? "\"" : scalar)
    }
    return PrintableText.of(String(saying))
  }

  /// A failure that the page reports, or one of the window.
  func show(_ error: VerificationError) -> Int32 {
    let isOfPage = error.source != .host
    if isOfPage {
      note("The page says: “\(Self.saying(error.message, upTo: 500)) (\(Self.saying(error.code, upTo: 64)))”")
    } else {
      note("\(error.message) (\(error.code))")
    }
    write(code: error.code, error.message, [:], source: isOfPage ? "page" : "tessera")
    // A page may use any code.
    guard !isOfPage else { return FailureKind.checkFailed.exitStatus }
    return switch error.code {
    case "INVALID_CONFIGURATION", "NOT_CONFIGURED", EnterpriseSessionError.invalidReference.rawValue:
      FailureKind.usage.exitStatus
    default: FailureKind.serviceUnavailable.exitStatus
    }
  }

  func show(_ failure: Failure) -> Int32 {
    note(failure.description)
    write(code: failure.kind.rawValue, failure.description, failure.details)
    return failure.kind.exitStatus
  }

  /// Prints a line for the user.
  func note(_ text: String) {
    var line = "tessera: \(PrintableText.of(text))\n"
    line.withUTF8 { _ = OutputDescriptor.write(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
  }

  /// - Parameter source: who says it: `tessera` or `page`.
  private func write(code: String, _ message: String, _ details: [String: String], source: String = "tessera") {
    guard isJSON else { return }
    let error: JSONValue = [
      "code": .string(code), "message": .string(message), "source": .string(source),
      "details": .object(JSONObject(details.mapValues(JSONValue.string))),
    ]
    try? StandardOutput.write((["error": error] as JSONValue).text)
  }

  private static func text(_ result: VerificationResult) -> String {
    var rows: [(String, String)] = []
    if let userId = result.userId { rows.append(("userId", userId)) }
    if let verificationId = result.verificationId { rows.append(("verificationId", verificationId)) }
    for member in result.claims?.members ?? [] {
      rows.append((member.name, member.value.stringValue ?? member.value.text))
    }
    if let proof = result.proof { rows.append(("proof", proof)) }
    let width = rows.map(\.0.count).max() ?? 0
    let lines = rows.map { name, value in
      PrintableText.of(name + String(repeating: " ", count: width - name.count) + "  " + value)
    }
    return (["The page says: verified"] + lines).joined(separator: "\n")
  }
}
