import Glibc
package import Tessera

/// Prints errors: the cause, the remedy and what to type.
package enum ErrorOutput {
  /// Prints an error to standard error and, with `--json`, as an object to standard output.
  ///
  /// - Returns: the exit status.
  package static func report(_ error: any Error, asJSON: Bool) -> Int32 {
    Note.write(message(error))
    if asJSON {
      // An error of standard output itself is on standard error already.
      try? StandardOutput.write((["error": object(error)] as JSONValue).text)
    }
    return status(of: Failure(error).kind)
  }

  /// `{"code", "message", "details"}`.
  package static func object(_ error: any Error) -> JSONValue {
    let failure = Failure(error)
    return [
      "code": .string(failure.kind.rawValue), "message": .string(message(error)),
      "details": .object(JSONObject(failure.details.mapValues(JSONValue.string))),
    ]
  }

  /// Prints an error that does not end the command.
  package static func note(_ error: any Error) { Note.write(message(error)) }

  /// The exit status. After a signal it is 128 plus the signal's number, as shells expect.
  package static func status(of kind: FailureKind) -> Int32 {
    let number = Interruption.signalNumber
    return kind == .cancelled && number != 0 ? 128 + number : kind.exitStatus
  }

  /// The cause and one remedy as running text: that of the command, else the library's.
  package static func message(_ error: any Error) -> String {
    message(Failure(error), CommandRemedy.text(for: error))
  }

  /// - Parameter remedy: of the command; nil for the failure's own.
  package static func message(_ failure: Failure, _ remedy: String?) -> String {
    [failure.cause, remedy ?? failure.remedy].compactMap(\.self).joined(separator: " ")
  }
}

/// Writes messages to standard error. Ignores errors: there is no other place to report them.
package enum Note {
  /// Writes a line with the program's name; replaces control characters.
  package static func write(_ text: String) { writeLine("tessera: \(Terminal.printable(text))") }

  package static func writeLine(_ text: String) { writeRaw("\(text)\n") }

  package static func writeRaw(_ text: String) {
    var text = text
    text.withUTF8 { _ = OutputDescriptor.write(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
  }
}
