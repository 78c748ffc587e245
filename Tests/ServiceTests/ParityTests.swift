import BridgeVectors
import TestSupport
import Testing

@Suite("The bridge's vectors over the service's sockets")
struct ParityTests {
  @Test("every case holds in process, over the Unix socket and over the WebSocket")
  func parity() async throws {
    let doors: [any BridgeDoor] = [InProcessDoor(), UnixSocketDoor(), WebSocketDoorUnderTest()]
    let matrix = try await ParityMatrix.run(BridgeVectors.cases, through: doors)
    print(matrix.text)
    #expect(matrix.failures.isEmpty)
    #expect(matrix.missing.isEmpty)
    #expect(BridgeVectors.cases.count == 201)
  }

  @Test("every sequence holds over the sockets", arguments: VectorSequences.all)
  func sequence(_ vector: Vector) async throws {
    for door in [UnixSocketDoor(), WebSocketDoorUnderTest()] as [any BridgeDoor] {
      #expect(try await VectorSequences.mismatch(vector, through: door) == nil, "\(door.name)")
    }
  }
}
