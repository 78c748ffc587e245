import Foundation
import Synchronization
import TesseraSmartCard
import TesseraVirtualChip

/// The card in the machine's USB reader, which is QEMU's `usb-ccid` with a `ccid-card-passthru` in its slot.
///
/// QEMU connects the card through a socket with the protocol of libcacard's `vscclient` (`vscard_common.h`): three
/// big-endian words (type, reader, length), then the body. The socket is connected to a virtio port of the machine, so
/// that a test inside the machine can be the card.
public final class CCIDCard: Sendable {
  private enum Message {
    static let initialize: UInt32 = 1
    static let addReader: UInt32 = 3
    static let answerToReset: UInt32 = 5
    static let removeCard: UInt32 = 6
    static let apdu: UInt32 = 7
  }

  private struct State {
    var chips: [Chip]
    /// The current or the last chip in the slot.
    var current = 0
    var exchanges = 0
    var watch: (exchange: Int, action: @Sendable () -> Void)?
  }

  private let port: FileDescriptor
  private let state: Mutex<State>

  /// - Parameters:
  ///   - chips: All chips of the test, because only one program at a time can open the port.
  ///   - port: The device file of the port.
  public init(_ chips: sending [Chip], port: String = "/dev/virtio-ports/lab.card") throws {
    self.port = try FileDescriptor(opening: port)
    state = Mutex(State(chips: chips))
    let thread = Thread { [weak self, descriptor = self.port] in
      while let head = descriptor.read(exactly: 12), let body = descriptor.read(exactly: Int(Self.word(head, 8))) {
        guard let self else { return }
        if Self.word(head, 0) == Message.apdu { self.answer(body) }
      }
    }
    thread.name = "ccid card"
    thread.start()
  }

  /// The number of commands so far.
  public var exchanges: Int { state.withLock { $0.exchanges } }

  /// Inserts the card: sends the greeting, because the reader may be a new one, and the answer to reset.
  ///
  /// - Parameter number: The index of the chip, from 0.
  public func insert(_ number: Int = 0) {
    let answerToReset = state.withLock { state in
      state.current = number
      state.chips[number].reset()
      return state.chips[number].answerToReset.bytes
    }
    send(Message.initialize, reader: .max, Array("VSCD".utf8) + [0, 0, 0, 2, 0, 0, 0, 0])
    send(Message.addReader, reader: .max, Array("Tessera Lab".utf8) + [0])
    send(Message.answerToReset, answerToReset)
  }

  public func remove() { send(Message.removeCard, []) }

  /// Runs a closure once before the response to a future command.
  ///
  /// - Parameter exchange: The number of the command, counted from now; the next one is 1.
  public func onExchange(_ exchange: Int, _ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.watch = ($0.exchanges + exchange, action) }
  }

  private func answer(_ command: [UInt8]) {
    let (response, action) = state.withLock { state -> ([UInt8], (@Sendable () -> Void)?) in
      state.exchanges += 1
      var action: (@Sendable () -> Void)?
      if let watch = state.watch, watch.exchange == state.exchanges {
        action = watch.action
        state.watch = nil
      }
      return (state.chips[state.current].process(command), action)
    }
    action?()
    send(Message.apdu, response)
  }

  private func send(_ type: UInt32, reader: UInt32 = 0, _ body: [UInt8]) {
    port.write(
      [type, reader, UInt32(body.count)].flatMap { word in
        (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
      } + body)
  }

  private static func word(_ bytes: [UInt8], _ at: Int) -> UInt32 {
    bytes[at..<at + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }
}
