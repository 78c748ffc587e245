/// Passes commands on and tells of each exchange. The default rendering shows headers, lengths and status words
/// only: what lies between may be personal data or a proof of a key.
public struct TracingChannel: CardChannel {
  private let base: any CardChannel
  private let plain: Bool
  private let write: @Sendable (String) -> Void

  /// - Parameters:
  ///   - plain: show the data too.
  ///   - write: is called with one line for the command and one for the response.
  public init(_ base: any CardChannel, plain: Bool, write: @escaping @Sendable (String) -> Void) {
    self.base = base
    self.plain = plain
    self.write = write
  }

  public func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    write("> \(render(head: command.prefix(4), body: command.dropFirst(4), tail: []))")
    do {
      let response = try await base.transmit(command)
      write("< \(render(head: [], body: response.dropLast(2), tail: response.suffix(2)))")
      return response
    } catch {
      write("! \(type(of: error))")
      throw error
    }
  }

  public func awaitReturn(within time: Duration) async throws {
    write("! waiting for the card's return")
    try await base.awaitReturn(within: time)
    write("! powered again")
  }

  private func render(head: ArraySlice<UInt8>, body: ArraySlice<UInt8>, tail: ArraySlice<UInt8>) -> String {
    let middle = plain ? body.hexadecimal : (body.isEmpty ? "" : "[\(body.count) bytes]")
    return [head.hexadecimal, middle, tail.hexadecimal].filter { !$0.isEmpty }.joined(separator: " ")
  }
}
