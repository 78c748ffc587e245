import TesseraThreads

/// A USB reader with NXP's PN533 (04cc:2533): the chip of `PN53xChip` behind a bulk endpoint each way, for the kernel's
/// driver pn533_usb as for libnfc's pn53x_usb.
public final class PN533Reader: USBDevice {
  public let description = USBDescription(
    vendor: 0x04CC, product: 0x2533, name: "PN533 Reader", endpoints: [.bulk(0x04), .bulk(PN533Reader.toHost)])
  public let field: ContactlessField

  private typealias Answer = @Sendable (_ data: [UInt8], _ endpoint: UInt8) -> Void
  private struct State {
    var chip: PN53xChip
    var parser = PN53xFrameParser()
    /// Sends delayed responses of the chip.
    var answer: Answer?
  }
  private let state: Locked<State>
  private static let toHost: UInt8 = 0x84

  public init(_ card: ContactlessCard? = nil) {
    field = ContactlessField(card)
    state = Locked(State(chip: PN53xChip(model: .pn533, field: field)))
    field.attach { [weak self] in self?.fieldChanged() }
  }

  public func receive(
    _ data: [UInt8], endpoint: UInt8, answer: @escaping @Sendable (_ data: [UInt8], _ endpoint: UInt8) -> Void
  ) {
    let frames = state.withLock { state in
      state.answer = answer
      return state.parser.take(data)
    }
    for frame in frames {
      switch frame {
      case .command(let command):
        answer(PN53xFrame.acknowledgement, Self.toHost)
        send(state.withLock { $0.chip.execute(command) })
      case .acknowledge: state.withLock { $0.chip.abort() }
      case .negativeAcknowledge, .malformed: break
      }
    }
  }

  private func fieldChanged() {
    if let outcome = state.withLock({ $0.chip.retry() }) { send(outcome) }
  }

  private func send(_ outcome: PN53xChip.Outcome) {
    guard let answer = state.withLock({ $0.answer }) else { return }
    switch outcome {
    case .answer(let data): answer(PN53xFrame.answer(data), Self.toHost)
    case .syntaxError: answer(PN53xFrame.syntaxError, Self.toHost)
    case .pending: break
    }
  }
}
