import TesseraCore
import TesseraUdev

/// The vendor and product ID of a USB device (`idVendor`, `idProduct`).
struct USBIdentity: Hashable, CustomStringConvertible {
  let vendor: UInt16
  let product: UInt16

  init(_ vendor: UInt16, _ product: UInt16) {
    self.vendor = vendor
    self.product = product
  }

  /// - Parameters: hexadecimal digits, with or without `0x`.
  init?(vendor: String, product: String) {
    guard let vendor = Self.number(vendor), let product = Self.number(product) else { return nil }
    self.init(vendor, product)
  }

  private static func number(_ text: String) -> UInt16? {
    let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
    return digits.count <= 4 ? UInt16(digits, radix: 16) : nil
  }

  var vendorDigits: String { vendor.hexadecimal.lowercased() }
  var productDigits: String { product.hexadecimal.lowercased() }
  var description: String { "\(vendorDigits):\(productDigits)" }
}

/// A USB card reader: a device with an interface of the smart card class, or a device that libnfc supports.
struct USBReader {
  let device: UdevDevice
  let identity: USBIdentity
  /// Its manufacturer and product strings, in printable form.
  let name: String
  /// Whether it is a CCID device (USB Device Class: Smart Card, 3.9).
  let isCCID: Bool
  /// The interfaces that a program must claim to use the reader.
  let interfaces: [UdevDevice]

  private static let smartCardClass = "0b"

  /// Whether libnfc has a driver for it.
  var isKnownToLibNFC: Bool { Self.knownToLibNFC.contains(identity) }

  /// An interface that a kernel driver has claimed, with that driver. Ignores `usbfs`, which represents a program.
  var kernelDriver: (interface: UdevDevice, driver: String)? {
    interfaces.lazy.compactMap { interface in
      interface.driver.flatMap { $0 == "usbfs" ? nil : (interface, $0) }
    }.first
  }

  static func all() throws(UdevError) -> [USBReader] {
    let all = try Udev.devices(subsystem: "usb")
    let interfaces = all.filter { $0.properties["DEVTYPE"] == "usb_interface" }
    return all.filter { $0.properties["DEVTYPE"] == "usb_device" }.compactMap { device in
      let prefix = "\(device.sysPath)/\(device.name):"
      return USBReader(device, interfaces: interfaces.filter { $0.sysPath.hasPrefix(prefix) })
    }
  }

  private init?(_ device: UdevDevice, interfaces: [UdevDevice]) {
    guard let vendor = device.attribute("idVendor"), let product = device.attribute("idProduct"),
      let identity = USBIdentity(vendor: vendor, product: product)
    else { return nil }
    let readers = interfaces.filter { $0.attribute("bInterfaceClass") == Self.smartCardClass }
    guard !readers.isEmpty || Self.knownToLibNFC.contains(identity) else { return nil }
    self.device = device
    self.identity = identity
    isCCID = !readers.isEmpty
    self.interfaces = readers.isEmpty ? interfaces : readers
    let words = [device.attribute("manufacturer"), device.attribute("product")].compactMap(\.self)
    let name = PrintableText.of(words.joined(separator: " ")).prefix(60).trimming { $0 == " " }
    self.name = name.isEmpty ? "\(identity)" : "\(name) (\(identity))"
  }

  /// The devices of the drivers pn53x_usb and acr122_usb in libnfc 1.8.0. `udev/70-tessera-nfc.rules` lists the same.
  static let knownToLibNFC: Set<USBIdentity> = [
    USBIdentity(0x04CC, 0x0531), USBIdentity(0x04CC, 0x2533), USBIdentity(0x04E6, 0x5591),
    USBIdentity(0x04E6, 0x5594), USBIdentity(0x054C, 0x0193), USBIdentity(0x054C, 0x02E1),
    USBIdentity(0x1FD3, 0x0608), USBIdentity(0x072F, 0x2200), USBIdentity(0x072F, 0x90CC),
    USBIdentity(0x072F, 0x2214),
  ]
}
