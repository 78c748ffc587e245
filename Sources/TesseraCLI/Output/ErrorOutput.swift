import Tessera

/// Prints errors: the cause, the remedy and what to type.
enum ErrorOutput {
  /// Prints an error to standard error and, with `--json`, as an object to standard output.
  ///
  /// - Returns: the exit status.
  static func report(_ error: any Error, asJSON: Bool) -> Int32 {
    let failure = Failure(error)
    let message = message(error)
    Note.write(message)
    if asJSON {
      let details = JSONObject(failure.details.mapValues(JSONValue.string))
      let error: JSONValue = [
        "code": .string(failure.kind.rawValue), "message": .string(message), "details": .object(details),
      ]
      // An error of standard output itself is on standard error already.
      try? StandardOutput.write((["error": error] as JSONValue).text)
    }
    return status(of: failure.kind)
  }

  /// Prints an error that does not end the command.
  static func note(_ error: any Error) { Note.write(message(error)) }

  /// The exit status. After a signal it is 128 plus the signal's number, as shells expect.
  static func status(of kind: FailureKind) -> Int32 {
    let number = Interruption.signalNumber
    return kind == .cancelled && number != 0 ? 128 + number : kind.exitStatus
  }

  /// The cause, the remedy and the hint as running text.
  static func message(_ error: any Error) -> String {
    [Failure(error).description, CommandHint.text(for: error)].compactMap(\.self).joined(separator: " ")
  }
}
