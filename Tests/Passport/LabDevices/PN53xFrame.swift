/// A frame from the host to a PN53x chip (PN532 user manual UM0701-02, 6.2.1).
public enum PN53xFrame: Sendable, Equatable {
  /// A command: its code, then its parameters; without the direction byte D4.
  case command([UInt8])
  /// ACK, which aborts the pending command.
  case acknowledge
  /// NACK, which requests the last response again.
  case negativeAcknowledge
  /// A frame with a wrong length or checksum.
  case malformed

  // MARK: - What the chip sends

  public static let acknowledgement: [UInt8] = [0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00]
  /// The error frame, for a command that the chip does not support.
  public static let syntaxError: [UInt8] = [0x00, 0x00, 0xFF, 0x01, 0xFF, 0x7F, 0x81, 0x00]

  /// The frame of a response, in the normal form or, beyond 254 bytes, in the extended one.
  ///
  /// - Parameter payload: The command's code plus one, then the data.
  public static func answer(_ payload: [UInt8]) -> [UInt8] {
    let length = payload.count + 1
    var frame: [UInt8] = [0x00, 0x00, 0xFF]
    if length <= 0xFF {
      frame += [UInt8(length), 0 &- UInt8(length)]
    } else {
      let high = UInt8(truncatingIfNeeded: length >> 8)
      let low = UInt8(truncatingIfNeeded: length)
      frame += [0xFF, 0xFF, high, low, 0 &- (high &+ low)]
    }
    return frame + [0xD5] + payload + [0 &- payload.reduce(0xD5, &+), 0x00]
  }
}

/// Parses the frames from the bytes of a serial line, which arrive in parts of any size. Bytes between two frames (the
/// wake-up bytes `55 55 00 …`, postambles) are ignored.
public struct PN53xFrameParser: Sendable {
  private var pending: [UInt8] = []

  public init() {}

  /// - Returns: The frames that these bytes complete.
  public mutating func take(_ bytes: some Sequence<UInt8>) -> [PN53xFrame] {
    pending += bytes
    var frames: [PN53xFrame] = []
    while let (frame, length) = first() {
      pending.removeFirst(length)
      if let frame { frames.append(frame) }
    }
    return frames
  }

  /// The first frame of the pending bytes and its length; nil if it is incomplete.
  private func first() -> (PN53xFrame?, Int)? {
    guard let start = pending.indices.dropLast().first(where: { pending[$0] == 0x00 && pending[$0 + 1] == 0xFF }) else {
      // Only a final zero can be the start of a frame.
      let useless = pending.count - (pending.last == 0x00 ? 1 : 0)
      return useless > 0 ? (nil, useless) : nil
    }
    let head = start + 2
    guard pending.count >= head + 2 else { return nil }
    switch (pending[head], pending[head + 1]) {
    case (0x00, 0xFF): return (.acknowledge, head + 2)
    case (0xFF, 0x00): return (.negativeAcknowledge, head + 2)
    case (0xFF, 0xFF):
      guard pending.count >= head + 5 else { return nil }
      let (high, low) = (pending[head + 2], pending[head + 3])
      guard high &+ low &+ pending[head + 4] == 0 else { return (.malformed, head + 5) }
      return body(at: head + 5, length: Int(high) << 8 | Int(low))
    case (let length, let checksum):
      guard length &+ checksum == 0 else { return (.malformed, head + 2) }
      return body(at: head + 2, length: Int(length))
    }
  }

  /// Direction byte, command and parameters, then their checksum.
  private func body(at start: Int, length: Int) -> (PN53xFrame?, Int)? {
    let end = start + length
    guard pending.count > end else { return nil }
    let isSound = length >= 2 && pending[start...end].reduce(0, &+) == 0 && pending[start] == 0xD4
    return (isSound ? .command(Array(pending[start + 1..<end])) : .malformed, end + 1)
  }
}
