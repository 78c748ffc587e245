import Foundation
import Udev

/// A device that libnfc can drive, as the system tells of it; nothing is opened to find it.
public struct LibNFCReader: Sendable, Equatable {
  public let connstring: LibNFCConnstring
  /// What maker and product call it, or the connstring.
  public let name: String
  /// Who has it already.
  public let holder: Holder?

  /// Who has a USB device for itself.
  public enum Holder: Sendable, Equatable {
    /// A program, through usbfs: pcscd as a rule.
    case program
    /// The kernel's own driver for NFC.
    case kernel(driver: String)

    func error(_ reader: String) -> CardError {
      switch self {
      case .program: .deviceInUse(reader: reader)
      case .kernel(let driver): .deviceHeldByKernel(reader: reader, driver: driver)
      }
    }
  }

  /// Every device now: those that the user has named to libnfc (`LIBNFC_DEVICE`, `/etc/nfc`) and that are there, then those
  /// on USB. Serial lines, I²C and SPI are never looked for, since that means to write to whatever is connected to them.
  public static func all() -> [LibNFCReader] {
    let configuration = LibNFCConfiguration.current
    let named = configuration.connstrings.filter(LibNFCObstacle.isPluggedIn).map { connstring in
      usbDevice(connstring).flatMap(LibNFCReader.init)
        ?? LibNFCReader(connstring: connstring, name: connstring.text, holder: nil)
    }
    guard configuration.looksForDevices, let devices = try? Udev.devices(subsystem: "usb") else { return named }
    return named
      + devices.compactMap(LibNFCReader.init).filter { found in
        !named.contains { $0.connstring == found.connstring }
      }
  }

  private init(connstring: LibNFCConnstring, name: String, holder: Holder?) {
    self.connstring = connstring
    self.name = name
    self.holder = holder
  }

  // MARK: - USB

  /// What libnfc's USB drivers know (libnfc 1.8.0, pn53x_usb.c and acr122_usb.c); `udev/70-tessera-nfc.rules` has the same
  /// list.
  private static let drivers: [String: String] = [
    "04cc:0531": "pn53x_usb", "04cc:2533": "pn53x_usb", "04e6:5591": "pn53x_usb", "04e6:5594": "pn53x_usb",
    "054c:0193": "pn53x_usb", "054c:02e1": "pn53x_usb", "1fd3:0608": "pn53x_usb", "072f:2200": "acr122_usb",
    "072f:90cc": "acr122_usb", "072f:2214": "acr122_usb",
  ]

  /// nil for a device that libnfc does not drive.
  init?(_ device: UdevDevice) {
    guard device.properties["DEVTYPE"] == "usb_device", let vendor = device.attribute("idVendor"),
      let product = device.attribute("idProduct"), let driver = Self.drivers["\(vendor):\(product)"],
      let bus = device.attribute("busnum").flatMap({ Int($0) }),
      let number = device.attribute("devnum").flatMap({ Int($0) })
    else { return nil }
    connstring = .usb(driver: driver, bus: bus, device: number)
    let words = ["manufacturer", "product"].compactMap { device.attribute($0) }.joined(separator: " ")
    // What the device says of itself may be anything.
    name = words.isEmpty ? connstring.text : String(words.map { $0.isASCII && !$0.isNewline ? $0 : "?" })
    holder = Self.holder(device)
  }

  /// Whether an event may be about a device of libnfc's: one that went away no longer tells what it was.
  static func concerns(_ event: Udev.Event) -> Bool {
    [.add, .remove, .bind, .unbind].contains(event.change)
      && ["usb_device", "usb_interface"].contains(event.device.properties["DEVTYPE"] ?? "")
  }

  /// The device that a connstring with bus and device means.
  static func usbDevice(_ connstring: LibNFCConnstring) -> UdevDevice? {
    guard let address = connstring.usbAddress else { return nil }
    return try? Udev.devices(subsystem: "usb").first {
      $0.properties["DEVTYPE"] == "usb_device" && $0.attribute("busnum") == "\(address.bus)"
        && $0.attribute("devnum") == "\(address.device)"
    }
  }

  /// A program that has claimed an interface through libusb shows up as the driver `usbfs`.
  static func holder(_ device: UdevDevice) -> Holder? {
    let interfaces = (try? FileManager.default.contentsOfDirectory(atPath: device.sysPath)) ?? []
    for interface in interfaces.sorted() where interface.contains(":") {
      let link = "\(device.sysPath)/\(interface)/driver"
      guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link),
        let driver = path.split(separator: "/").last.map(String.init)
      else { continue }
      return driver == "usbfs" ? .program : .kernel(driver: driver)
    }
    return nil
  }
}
