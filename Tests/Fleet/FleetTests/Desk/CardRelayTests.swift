import FleetLab
import TesseraNATS
import TesseraSmartCard
import TesseraThreads
import Testing

@testable import TesseraFleet

extension RealPrograms {
  @Suite("A batch of commands for the card of a desk", .enabled(if: NATSServers.isEnabled))
  struct CardRelayTests {
    /// A reader that executes whatever it gets, as PC/SC does, also after the read was given up.
    private final class Reader: CardChannel {
      private let count = Locked(0)
      private let onCommand: @Sendable (Int) -> Void

      /// - Parameter onCommand: receives the number of the command, from 1, before its answer.
      init(_ onCommand: @escaping @Sendable (Int) -> Void) { self.onCommand = onCommand }

      var commands: Int { count.withLock { $0 } }

      func transmit(_ command: [UInt8]) async throws -> [UInt8] {
        let number = count.withLock { count in
          count += 1
          return count
        }
        onCommand(number)
        return [0x90, 0x00]
      }
    }

    enum End: CaseIterable {
      /// The chip answers everything.
      case none
      case closed
      case cancelled
    }

    @Test("stops at the command during which the read is given up", arguments: End.allCases)
    func end(_ end: End) async throws {
      let lab = try await FleetLab.start()
      let connection = try await lab.connect("desk-1")
      let (relay, task) = (Locked<CardRelay?>(nil), Locked<Task<Void, any Error>?>(nil))
      let reader = Reader { number in
        switch end {
        case .closed where number == 3: relay.withLock { $0 }?.close()
        case .cancelled where number == 3: task.withLock { $0 }?.cancel()
        // The last one, after which the relay has nothing to do.
        case .none where number == 10: relay.withLock { $0 }?.close()
        default: break
        }
      }
      let new = CardRelay(
        reader, DeskConnection(connection, try #require(DeskName("desk-1")), FleetLimits()), gracePeriod: .zero
      ) { _ in }
      relay.withLock { $0 = new }
      var request = RelayMessage()
      request.batch = Array(
        repeating: RelayMessage.Entry(command: Base64Bytes([0, 0xB0, 0, 0, 0]), leastResponse: 0, warnings: 0),
        count: 10)
      let message = NATSMessage(subject: "relay", payload: try FleetCoding.encode(request))
      task.withLock { task in
        // Begins with the message below.
        task = Task { try await new.serve() }
      }
      new.receive(message)
      _ = await task.withLock { $0 }?.result
      #expect(reader.commands == (end == .none ? 10 : 3))
      await connection.close()
      await lab.stop()
    }
  }
}
