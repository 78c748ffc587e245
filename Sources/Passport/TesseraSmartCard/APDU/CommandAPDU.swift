/// A command APDU (ISO/IEC 7816-4, 5.1), in short or extended form.
package struct CommandAPDU: Sendable, Equatable {
  package var cla: UInt8
  package var ins: UInt8
  package var p1: UInt8
  package var p2: UInt8
  package var data: [UInt8]
  /// `Ne`, the maximum number of response bytes; nil for none. 256 is encoded as `Le = 00`, 65 536 as `Le = 0000`.
  package var expectedLength: Int?

  package init(
    cla: UInt8 = 0, ins: UInt8, p1: UInt8, p2: UInt8, data: [UInt8] = [], expectedLength: Int? = nil
  ) {
    self.cla = cla
    self.ins = ins
    self.p1 = p1
    self.p2 = p2
    self.data = data
    self.expectedLength = expectedLength
  }

  /// Whether the command needs the extended form.
  package var isExtended: Bool { data.count > 255 || (expectedLength ?? 0) > 256 }

  /// The encoding of the command.
  ///
  /// - Throws: `CardError.commandTooLong` if a length exceeds the limits of the extended form.
  package func encoded() throws(CardError) -> [UInt8] {
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
