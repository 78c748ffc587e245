import SmartCard

/// What can be made to go wrong at one exchange.
public enum Fault: Sendable, Equatable, CaseIterable {
  /// The card leaves the field.
  case disappearance
  /// Status 6F00 and nothing else.
  case unspecifiedError
  /// Status 9000 and nothing else.
  case emptyBody
  /// One bit of the last data byte is flipped: the MAC of a protected response.
  case wrongMAC
  /// The second half of the response is missing.
  case truncation
}

/// Passes commands on, records them, and at one exchange does something wrong.
public actor FaultyChannel: CardChannel {
  private let base: any CardChannel
  private let fault: Fault?
  private let index: Int
  private var isGone = false
  /// Every command that was sent, in order.
  public private(set) var commands: [[UInt8]] = []
  /// The answers to them, as delivered.
  public private(set) var responses: [[UInt8]] = []

  /// - Parameter index: the exchange, from 0, at which `fault` happens.
  public init(_ base: any CardChannel, fault: Fault? = nil, at index: Int = 0) {
    self.base = base
    self.fault = fault
    self.index = index
  }

  public func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    guard !isGone else { throw CardError.cardRemoved }
    commands.append(command)
    let answer = try await base.transmit(command)
    let delivered = try commands.count - 1 == index ? spoiled(answer) : answer
    responses.append(delivered)
    return delivered
  }

  /// A card that has left stays away; one that leaves by its own profile comes back by that.
  public func awaitReturn(within time: Duration) async throws {
    guard !isGone else { throw CardError.cardRemoved }
    try await base.awaitReturn(within: time)
  }

  private func spoiled(_ answer: [UInt8]) throws -> [UInt8] {
    switch fault {
    case nil: return answer
    case .disappearance:
      isGone = true
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
