internal import PassageProtocol
internal import PassageSocket
internal import TesseraCore
internal import TesseraJSON

/// The socket of an engine: one client at a time, whose events become inputs of the session.
@MainActor
final class EngineSocket {
  private let tell: @MainActor (SocketInput) -> Void
  private var client: SocketClient?
  private var reader: Task<Void, Never>?
  /// The emissions go out in their order.
  private var last: Task<Void, Never>?
  /// How long an event may wait for a connection, and the server for its acknowledgement.
  private static let limit = Duration.seconds(60)

  init(_ tell: @escaping @MainActor (SocketInput) -> Void) { self.tell = tell }

  func connect(_ target: SocketTarget) {
    disconnect()
    do {
      let query = target.query.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
      var configuration = try SocketConfiguration(
        SocketServerAddress(target.address, query: query), namespace: target.namespace)
      configuration.limits.unnamedPayload = SocketEmission.longestUnlessNamed
      let client = SocketClient(configuration)
      self.client = client
      reader = Task { [weak self] in
        await client.start()
        for await event in client.events {
          guard let self, self.client === client else { break }
          received(event, of: client)
        }
      }
    } catch {
      tell(.failed(reason: "The address of the socket is invalid."))
    }
  }

  func emit(_ emission: SocketEmission) {
    guard let client else { return }
    let event = SocketEvent(emission.name, [emission.payload])
    // An event that waits for a connection holds up those after it, which would wait, too.
    last = Task { [weak self, last] in
      await last?.value
      guard emission.wantsAcknowledgement else {
        try? await client.emit(event, within: Self.limit)
        return
      }
      // A server that acknowledges nothing has the event when it is written.
      _ = try? await client.emitAcknowledged(event, within: .seconds(1), whileDisconnected: .fails)
      guard let self, self.client === client else { return }
      tell(.acknowledged(event: emission.name))
    }
  }

  func disconnect() {
    guard let client else { return }
    self.client = nil
    reader?.cancel()
    reader = nil
    last?.cancel()
    last = nil
    Task { await client.close() }
  }

  private func received(_ event: SocketClientEvent, of client: SocketClient) {
    switch event {
    case .connected(let session):
      tell(.maximumPayload(session.handshake.maximumPayload))
      tell(.connected)
    case .received(let message):
      tell(.event(name: message.event.name, payload: message.event.payload ?? .null))
      guard message.acknowledgement != nil else { return }
      Task { try? await client.acknowledge(message) }
    case .disconnected(let error, _, _):
      tell(.disconnected)
      tell(.failed(reason: error.failure.cause))
    case .ended(let error?):
      tell(.disconnected)
      tell(.failed(reason: error.failure.cause))
    case .ended(nil): tell(.disconnected)
    }
  }
}
