/// What names a device to libnfc (nfc.h, `nfc_connstring`): a driver, then where the device is:
/// `pn532_uart:/dev/ttyUSB0`, `pn532_uart:/dev/ttyS0:115200`, `pn53x_usb:001:004`, `pn532_i2c:/dev/i2c-1`.
public struct LibNFCConnstring: Sendable, Hashable {
  public let text: String

  /// - Throws: `CardError.malformedConnstring` for what libnfc would cut off or not understand at all.
  public init(_ text: String) throws(CardError) {
    let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    // 1024 bytes with the zero at the end: NFC_BUFSIZE_CONNSTRING.
    guard isPlain, (1...1023).contains(text.utf8.count), text.first != ":" else { throw .malformedConnstring }
    self.text = text
  }

  private init(known text: String) { self.text = text }

  /// A device of USB, by the numbers that the kernel gives bus and device.
  static func usb(driver: String, bus: Int, device: Int) -> LibNFCConnstring {
    func padded(_ number: Int) -> String { String(repeating: "0", count: max(0, 3 - "\(number)".count)) + "\(number)" }
    return LibNFCConnstring(known: "\(driver):\(padded(bus)):\(padded(device))")
  }

  private var parts: [Substring] { text.split(separator: ":") }

  /// `pn53x_usb`, `acr122_usb`, `pn532_uart`, `pn532_i2c`, `pn532_spi`, `arygon`, `acr122s`; `usb` for any on USB.
  public var driver: String { parts.first.map(String.init) ?? "" }

  /// Whether the device is on USB, where the connstring may leave out which one.
  public var isUSB: Bool { driver.hasSuffix("usb") }

  /// The device's node, where the connstring names one.
  public var node: String? { parts.dropFirst().first { $0.hasPrefix("/") }.map(String.init) }

  /// Bus and device of USB, where the connstring names both.
  public var usbAddress: (bus: Int, device: Int)? {
    guard isUSB, parts.count == 3, let bus = Int(parts[1]), let device = Int(parts[2]) else { return nil }
    return (bus, device)
  }

  /// Whether the device is there, as far as the system tells without opening it.
  public var isPluggedIn: Bool { LibNFCObstacle.isPluggedIn(self) }

  /// The longest command APDU, in bytes. The PN53x drivers copy a command into a buffer of 264 bytes, two of which they
  /// need, without looking at its length; a longer one ends the process (libnfc 1.8.0, pn53x.c,
  /// `pn53x_initiator_transceive_bytes`). The ACR122 drivers put the frame into an APDU of their own, with 254.
  public var commandLengthLimit: Int { driver.hasPrefix("acr122") ? 252 : 262 }
}
