internal import TesseraNATS
internal import TesseraPassport
internal import TesseraThreads

/// Tells a desk what the inspector does with its document. Nobody waits for these messages, and they contain no data.
struct SignsOfLife: Sendable {
  let connection: NATSConnection
  let subject: String
  /// The file whose beginning was reported last.
  private let current = Locked<String?>(nil)

  init(connection: NATSConnection, subject: String) {
    self.connection = connection
    self.subject = subject
  }

  func send() { publish(RelayMessage()) }

  func send(_ progress: InspectionProgress) {
    if case .reading(let file, let bytes, let total) = progress {
      // A batch brings many blocks at once.
      let isNew = current.withLock { current in
        defer { current = file.name }
        return current != file.name
      }
      guard isNew || bytes >= total else { return }
    }
    var message = RelayMessage()
    message.progress = RelayMessage.Progress(progress)
    publish(message)
  }

  private func publish(_ message: RelayMessage) {
    guard let payload = try? FleetCoding.encode(message) else { return }
    // Without a connection there is nobody to tell.
    try? connection.publish(NATSMessage(subject: subject, payload: payload))
  }
}
