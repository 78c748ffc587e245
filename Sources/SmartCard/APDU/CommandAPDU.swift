/// A command of ISO/IEC 7816-4, 5.1, in its short or extended form.
public struct CommandAPDU: Sendable, Equatable {
  public var cla: UInt8
  public var ins: UInt8
  public var p1: UInt8
  public var p2: UInt8
  public var data: [UInt8]
  /// `Ne`, the largest number of response bytes wanted; nil where none are. 256 is `Le = 00`, 65 536 is
  /// `Le = 0000`.
  public var expectedLength: Int?

  public init(
    cla: UInt8 = 0, ins: UInt8, p1: UInt8, p2: UInt8, data: [UInt8] = [], expectedLength: Int? = nil
  ) {
    self.cla = cla
    self.ins = ins
    self.p1 = p1
    self.p2 = p2
    self.data = data
    self.expectedLength = expectedLength
  }

  /// Whether the lengths need three-byte fields.
  public var isExtended: Bool { data.count > 255 || (expectedLength ?? 0) > 256 }

  /// The header with the fields as they are sent.
  ///
  /// - Throws: `CardError.commandTooLong` where a length exceeds what the extended form can tell.
  public func encoded() throws(CardError) -> [UInt8] {
    guard data.count <= 65_535, (1...65_536).contains(expectedLength ?? 1) else { throw .commandTooLong }
    var bytes = [cla, ins, p1, p2]
    bytes.reserveCapacity(data.count + 10)
    if isExtended {
      bytes.append(0)
      if !data.isEmpty {
        bytes += [UInt8(data.count >> 8), UInt8(data.count & 0xFF)]
        bytes += data
      }
      if let expectedLength { bytes += [UInt8(expectedLength >> 8 & 0xFF), UInt8(expectedLength & 0xFF)] }
    } else {
      if !data.isEmpty {
        bytes.append(UInt8(data.count))
        bytes += data
      }
      if let expectedLength { bytes.append(UInt8(expectedLength & 0xFF)) }
    }
    return bytes
  }
}
