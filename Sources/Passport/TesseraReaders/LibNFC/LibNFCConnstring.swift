import FoundationEssentials
import Glibc
import TesseraSmartCard

/// A connection string of libnfc (nfc.h, `nfc_connstring`): a driver, then the device's address. Examples:
/// `pn532_uart:/dev/ttyUSB0`, `pn532_uart:/dev/ttyS0:115200`, `pn53x_usb:001:004`, `pn532_i2c:/dev/i2c-1`.
public struct LibNFCConnstring: Sendable, Hashable {
  public let text: String

  /// - Throws: `CardError.malformedConnstring` for text that libnfc would truncate or reject.
  public init(_ text: String) throws(CardError) {
    let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    // 1024 bytes with the zero at the end: NFC_BUFSIZE_CONNSTRING.
    guard isPlain, (1...1023).contains(text.utf8.count), text.first != ":" else { throw .malformedConnstring }
    self.text = text
  }

  private init(known text: String) { self.text = text }

  /// A USB device by the kernel's numbers of its bus and of the device.
  static func usb(driver: String, bus: Int, device: Int) -> LibNFCConnstring {
    LibNFCConnstring(known: "\(driver):\(padded(bus)):\(padded(device))")
  }

  private static func padded(_ number: Int) -> String {
    String(repeating: "0", count: max(0, 3 - "\(number)".count)) + "\(number)"
  }

  private var parts: [Substring] { text.split(separator: ":") }

  /// `pn53x_usb`, `acr122_usb`, `pn532_uart`, `pn532_i2c`, `pn532_spi`, `arygon`, `acr122s`; `usb` for any USB device.
  package var driver: String { parts.first.map(String.init) ?? "" }

  /// Whether this is a USB device. Its connstring need not contain the address.
  package var isUSB: Bool { driver.hasSuffix("usb") }

  /// The device's node, if the connstring contains one.
  package var node: String? { parts.dropFirst().first { $0.hasPrefix("/") }.map(String.init) }

  /// The numbers of the USB bus and of the device, if the connstring contains both.
  var usbAddress: (bus: Int, device: Int)? {
    guard isUSB, parts.count == 3, let bus = Int(parts[1]), let device = Int(parts[2]) else { return nil }
    return (bus, device)
  }

  var usbNode: String? {
    usbAddress.map { "/dev/bus/usb/\(Self.padded($0.bus))/\(Self.padded($0.device))" }
  }

  /// Whether the device's node exists. True for a connstring without an address.
  var isPluggedIn: Bool {
    guard let node = usbNode ?? node else { return true }
    return access(node, F_OK) == 0
  }

  /// The longest command APDU, in bytes. The PN53x drivers copy a command into a buffer of 264 bytes, of which they use
  /// two, without checking its length; a longer one crashes the process (libnfc 1.8.0, pn53x.c,
  /// `pn53x_initiator_transceive_bytes`). The ACR122 drivers put the frame into another APDU, with at most 254.
  package var commandLengthLimit: Int { driver.hasPrefix("acr122") ? 252 : 262 }
}
