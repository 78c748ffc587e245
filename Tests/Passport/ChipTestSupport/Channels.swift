internal import TesseraCore
package import TesseraSmartCard
internal import Testing

/// Recorded exchanges: each command must equal the recorded one.
package final class RecordedChannel: CardChannel {
  package struct Exchange: Sendable {
    package let command: [UInt8]
    package let response: [UInt8]

    package init(command: [UInt8], response: [UInt8]) {
      self.command = command
      self.response = response
    }
  }

  private let remaining: Recording

  /// - Parameter exchanges: in their order.
  package init(_ exchanges: [Exchange]) { remaining = Recording(exchanges) }

  package var isDone: Bool { get async { await remaining.isEmpty } }

  package func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    guard let exchange = await remaining.next() else { throw CardError.cardRemoved }
    #expect(command.hexadecimal == exchange.command.hexadecimal)
    return exchange.response
  }

  private actor Recording {
    private var exchanges: [Exchange]
    init(_ exchanges: [Exchange]) { self.exchanges = exchanges }
    var isEmpty: Bool { exchanges.isEmpty }
    func next() -> Exchange? { exchanges.isEmpty ? nil : exchanges.removeFirst() }
  }
}

/// Answers protected commands of one kind in plain, which ends the session.
package actor PlainAnswers: CardChannel {
  private let base: any CardChannel
  private let answers: @Sendable ([UInt8]) -> [UInt8]?
  package private(set) var commands: [[UInt8]] = []

  package init(_ base: any CardChannel, _ answers: @escaping @Sendable ([UInt8]) -> [UInt8]?) {
    self.base = base
    self.answers = answers
  }

  package func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    commands.append(command)
    if command[0] & 0x0C == 0x0C, let answer = answers(command) { return answer }
    return try await base.transmit(command)
  }

  /// READ BINARY in plain, except before access control.
  package var plainReads: [[UInt8]] {
    let access = commands.firstIndex { [0x82, 0x86].contains($0[1]) } ?? 0
    return commands[access...].filter { $0[0] & 0x0C != 0x0C && [0xB0, 0xB1].contains($0[1]) }
  }
}
