import FoundationEssentials
import TesseraCore
import TesseraSmartCard

/// A USB device as the kernel lists it below `/sys` (Documentation/ABI/testing/sysfs-bus-usb). Reading the list opens
/// no device and needs no permission.
struct USBDevice: Sendable, Equatable {
  /// Four hexadecimal digits each, with a colon between them: `04cc:2533`.
  let identity: String
  let bus: Int
  /// The device's number on the bus, which the kernel assigns each time that the device is plugged in.
  let number: Int
  /// Manufacturer and product as the device itself states them: any text, or none.
  let label: String
  /// The driver of the first interface that has one: `usbfs` if a program has claimed it, otherwise a kernel module.
  let driver: String?

  /// The devices that are plugged in, in the order of their folders' names.
  static func all(in folder: String = "/sys/bus/usb/devices") -> [USBDevice] {
    entries(folder).filter { !$0.contains(":") }.compactMap { USBDevice(folder: "\(folder)/\($0)") }
  }

  /// nil if the device was unplugged in the meantime.
  private init?(folder: String) {
    func attribute(_ name: String) -> String? {
      FileManager.default.contents(atPath: "\(folder)/\(name)")
        .map { String(decoding: $0, as: UTF8.self).trimmed }
    }
    guard let vendor = attribute("idVendor"), let product = attribute("idProduct"),
      let bus = attribute("busnum").flatMap({ Int($0) }), let number = attribute("devnum").flatMap({ Int($0) })
    else { return nil }
    identity = "\(vendor):\(product)"
    self.bus = bus
    self.number = number
    label = ["manufacturer", "product"].compactMap(attribute).joined(separator: " ")
    // The folders of the interfaces have a colon in their names: 1-2:1.0.
    driver = Self.entries(folder).filter { $0.contains(":") }.lazy.compactMap { interface in
      try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(interface)/driver")
    }.first?.split(separator: "/").last.map(String.init)
  }

  private static func entries(_ folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }
}
