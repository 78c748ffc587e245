import BridgeVectors
import TestSupport
import Testing

@Suite("Bridge vectors over the sockets of the service")
struct ParityTests {
  @Test("every case passes in process, over the Unix socket and over the WebSocket")
  func parity() async throws {
    let transports: [any BridgeTransport] = [InProcessTransport(), UnixSocketTransport(), WebSocketTransport()]
    let matrix = try await ParityMatrix.run(BridgeVectors.cases, through: transports)
    print(matrix.text)
    #expect(matrix.failures.isEmpty)
    #expect(matrix.missing.isEmpty)
    #expect(BridgeVectors.cases.count == 201)
  }

  @Test("every sequence passes over the sockets", arguments: VectorSequences.all)
  func sequence(_ vector: Vector) async throws {
    for transport in [UnixSocketTransport(), WebSocketTransport()] as [any BridgeTransport] {
      #expect(try await VectorSequences.mismatch(vector, through: transport) == nil, "\(transport.name)")
    }
  }
}
