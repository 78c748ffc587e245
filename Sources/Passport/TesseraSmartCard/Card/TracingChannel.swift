/// A channel that passes commands on and traces each exchange. By default the trace contains headers, lengths and
/// status words only: the data may be personal, or prove the possession of a key.
package struct TracingChannel: CardChannel {
  private let base: any CardChannel
  private let plain: Bool
  private let write: @Sendable (String) -> Void

  /// - Parameters:
  ///   - plain: Whether the trace contains the data too.
  ///   - write: Called with one line for the command and one for the response.
  package init(_ base: any CardChannel, plain: Bool, write: @escaping @Sendable (String) -> Void) {
    self.base = base
    self.plain = plain
    self.write = write
  }

  package func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    trace(command: command)
    do {
      let response = try await base.transmit(command)
      trace(response: response)
      return response
    } catch {
      write("! \(type(of: error))")
      throw error
    }
  }

  package func awaitReturn(within time: Duration) async throws {
    write("! waiting for the card's return")
    try await base.awaitReturn(within: time)
    write("! powered again")
  }

  private func trace(command: [UInt8]) {
    write("> \(render(head: command.prefix(4), body: command.dropFirst(4), tail: []))")
  }

  private func trace(response: [UInt8]) {
    write("< \(render(head: [], body: response.dropLast(2), tail: response.suffix(2)))")
  }

  private func render(head: ArraySlice<UInt8>, body: ArraySlice<UInt8>, tail: ArraySlice<UInt8>) -> String {
    let middle = plain ? body.hexadecimal : (body.isEmpty ? "" : "[\(body.count) bytes]")
    return [head.hexadecimal, middle, tail.hexadecimal].filter { !$0.isEmpty }.joined(separator: " ")
  }
}
