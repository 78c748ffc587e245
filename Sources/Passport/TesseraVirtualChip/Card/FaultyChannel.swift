import TesseraSmartCard

/// A fault at one exchange.
package enum Fault: Sendable, Equatable, CaseIterable {
  /// The card is removed.
  case disappearance
  /// Status 6F00 and nothing else.
  case unspecifiedError
  /// Status 9000 and nothing else.
  case emptyBody
  /// One bit of the last data byte is flipped: the MAC of a protected response.
  case wrongMAC
  /// The response has only its first half.
  case truncation
}

/// A channel that forwards and records commands, and injects a fault at one exchange.
package actor FaultyChannel: CardChannel {
  private let base: any CardChannel
  private let fault: Fault?
  private let index: Int
  private var isRemoved = false
  /// The commands in order.
  package private(set) var commands: [[UInt8]] = []
  /// The responses to them, including the faulty one.
  package private(set) var responses: [[UInt8]] = []

  /// - Parameter index: The exchange, counted from 0, at which `fault` occurs.
  package init(_ base: any CardChannel, fault: Fault? = nil, at index: Int = 0) {
    self.base = base
    self.fault = fault
    self.index = index
  }

  package func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    guard !isRemoved else { throw CardError.cardRemoved }
    commands.append(command)
    let answer = try await base.transmit(command)
    let delivered = try commands.count - 1 == index ? injectFault(into: answer) : answer
    responses.append(delivered)
    return delivered
  }

  /// A card removed by `fault` does not return; the profile of the chip decides about its own removals.
  package func awaitReturn(within time: Duration) async throws {
    guard !isRemoved else { throw CardError.cardRemoved }
    try await base.awaitReturn(within: time)
  }

  private func injectFault(into answer: [UInt8]) throws -> [UInt8] {
    switch fault {
    case nil: return answer
    case .disappearance:
      isRemoved = true
      throw CardError.cardRemoved
    case .unspecifiedError: return ResponseAPDU(status: .unspecifiedError).encoded
    case .emptyBody: return ResponseAPDU(status: .success).encoded
    case .wrongMAC:
      guard answer.count > 2 else { return answer }
      var changed = answer
      changed[answer.count - 3] ^= 0x01
      return changed
    case .truncation: return Array(answer.prefix(answer.count / 2))
    }
  }
}
