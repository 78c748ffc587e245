/// A USB reader of the smart card class (CCID 1.1) with an id that no driver lists (1209:0001, reserved for tests). Its
/// slot is empty.
public struct UnlistedCCIDReader: USBDevice {
  public let description = USBDescription(
    vendor: 0x1209, product: 0x0001, name: "Unlisted Reader", interfaceClass: (0x0B, 0, 0),
    classDescriptor: Self.classDescriptor,
    endpoints: [.bulk(0x01), .bulk(0x81), .interrupt(0x82)])

  public init() {}

  /// CCID 1.1, 5.1: one slot, T=1, all parameters automatic, short and extended APDU level.
  private static let classDescriptor: [UInt8] =
    [54, 0x21, 0x10, 0x01, 0, 7, 3, 0, 0, 0, 0xA0, 0x0F, 0, 0, 0xA0, 0x0F, 0, 0, 0, 0x80, 0x25, 0, 0, 0x80, 0x25, 0, 0]
    + [0, 0xFE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xBE, 0x00, 0x04, 0x00, 0x0F, 0x01, 0, 0, 0xFF, 0xFF, 0, 0, 0, 1]

  public func receive(
    _ data: [UInt8], endpoint: UInt8, answer: @escaping @Sendable (_ data: [UInt8], _ endpoint: UInt8) -> Void
  ) {
    guard data.count >= 10 else { return }
    // Every request gets RDR_to_PC_SlotStatus (CCID 1.1, 6.2.2) without a card in the slot.
    answer([0x81, 0, 0, 0, 0, data[5], data[6], 0x02, 0, 0], 0x81)
  }
}
