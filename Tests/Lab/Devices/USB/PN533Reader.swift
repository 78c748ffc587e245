/// A USB reader with NXP's PN533 (04cc:2533), as far as the kernel's driver pn533_usb asks before it takes it: every
/// command is acknowledged and answered with nothing, that for the version with one.
public struct PN533Reader: USBDevice {
  public let description = USBDescription(
    vendor: 0x04CC, product: 0x2533, name: "PN533 Reader", endpoints: [.bulk(0x04), .bulk(0x84)])

  public init() {}

  /// Frames of the PN533 User Manual, 7.1: `00 00 FF LEN LCS D4 command … DCS 00`.
  public func receive(
    _ data: [UInt8], endpoint: UInt8, answer: @escaping @Sendable (_ data: [UInt8], _ endpoint: UInt8) -> Void
  ) {
    guard data.count >= 9, data[0..<3] == [0, 0, 0xFF], data[3] >= 2, data[5] == 0xD4 else { return }
    answer([0x00, 0x00, 0xFF, 0x00, 0xFF, 0x00], 0x84)
    let command = data[6]
    let content = [0xD5, command &+ 1] + (command == 0x02 ? [0x33, 0x02, 0x07, 0x07] : [])
    let length = UInt8(truncatingIfNeeded: content.count)
    answer([0x00, 0x00, 0xFF, length, 0 &- length] + content + [0 &- content.reduce(0, &+), 0x00], 0x84)
  }
}
