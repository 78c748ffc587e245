internal import TesseraJSON
internal import TesseraThreads

/// An event or an acknowledgement on its way to the server.
struct Emission: Sendable {
  let number: Int
  /// The text of the message; empty once it is written.
  private(set) var text: String
  /// What the acknowledgement of the event will have; nil if none is wanted.
  let identifier: AcknowledgementIdentifier?
  /// Whether it waits for the next connection if it was not given to the present one.
  let mayWait: Bool
  /// The values of the acknowledgement; empty if none is wanted.
  let result = FirstResult<[JSONValue]>()
  /// Whether it was given to a connection. It is never given to another one then. Set on the connection's event loop.
  let hasBegun = Locked(false)

  init(number: Int, text: String, identifier: AcknowledgementIdentifier?, mayWait: Bool) {
    self.number = number
    self.text = text
    self.identifier = identifier
    self.mayWait = mayWait
  }

  var bytes: Int { text.utf8.count }
  var isWritten: Bool { text.isEmpty }

  /// The same emission once it is written, when its text is not needed any more.
  var withoutText: Emission {
    var emission = self
    emission.text = ""
    return emission
  }
}
