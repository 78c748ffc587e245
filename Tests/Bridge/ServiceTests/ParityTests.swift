import BridgeVectors
import TestSupport
import Testing

@Suite("Bridge vectors over the sockets of the service")
struct ParityTests {
  /// `BridgeTests` passes every case in process.
  @Test("the cases for other transports pass over the Unix socket and over the WebSocket")
  func parity() async throws {
    let transports: [any BridgeTransport] = [UnixSocketTransport(), WebSocketTransport()]
    let matrix = try await ParityMatrix.run(BridgeVectors.carriedCases, through: transports)
    print(matrix.text)
    #expect(matrix.failures.isEmpty)
    #expect(matrix.missing.isEmpty || !Sweep.isFull)
  }

  @Test("the sequences for other transports pass over the sockets", arguments: BridgeVectors.carriedSequences)
  func sequence(_ vector: Vector) async throws {
    for transport in [UnixSocketTransport(), WebSocketTransport()] as [any BridgeTransport] {
      #expect(try await VectorSequences.mismatch(vector, through: transport) == nil, "\(transport.name)")
    }
  }
}
