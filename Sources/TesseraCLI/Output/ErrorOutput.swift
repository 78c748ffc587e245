import Foundation
import Tessera

/// Errors go to standard error as cause and remedy; with `--json` also to standard output as an object.
enum ErrorOutput {
  /// - Returns: the exit status.
  static func report(_ failure: Failure, asJSON: Bool) -> Int32 {
    Note.write(failure.description)
    if asJSON {
      let details = JSONObject(failure.details.mapValues(JSONValue.string))
      let error: JSONValue = [
        "code": .string(failure.kind.rawValue), "message": .string(failure.description), "details": .object(details),
      ]
      // Where standard output is broken, standard error has told it already.
      try? StandardOutput.write((["error": error] as JSONValue).text)
    }
    return status(of: failure.kind)
  }

  /// A program that a signal ended says so in the way of the shell.
  static func status(of kind: FailureKind) -> Int32 {
    let number = Interruption.signalNumber
    return kind == .cancelled && number != 0 ? 128 + number : kind.exitStatus
  }
}
