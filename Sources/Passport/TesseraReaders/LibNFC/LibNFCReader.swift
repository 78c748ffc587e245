import FoundationEssentials
import TesseraCore
import TesseraSmartCard

/// A device that libnfc can drive, as `/sys` and `/dev` show it; nothing is opened to find it.
struct LibNFCReader: Sendable, Equatable {
  let connstring: LibNFCConnstring
  /// Manufacturer and product as the device states them, or the connstring.
  let name: String
  /// The program or driver that already uses the device; nil if none.
  let owner: Owner?

  /// The owner of exclusive access to a USB device.
  enum Owner: Sendable, Equatable {
    /// A program, through usbfs; usually pcscd.
    case program
    /// A kernel driver for NFC.
    case kernel(driver: String)

    func error(_ reader: String) -> CardError {
      switch self {
      case .program: .deviceInUse(reader: reader)
      case .kernel(let driver): .deviceUsedByKernel(reader: reader, driver: driver)
      }
    }
  }

  /// The devices that are plugged in: first those that the user has configured for libnfc (`LIBNFC_DEVICE`,
  /// `/etc/nfc`), then those on USB. Serial lines, I²C and SPI are never probed, since a probe writes to whatever is
  /// connected there.
  static func all() -> [LibNFCReader] {
    let configuration = LibNFCConfiguration.current
    let configured = configuration.connstrings.filter(\.isPluggedIn).map { connstring in
      connstring.usbDevice.flatMap(LibNFCReader.init)
        ?? LibNFCReader(connstring: connstring, name: connstring.text, owner: nil)
    }
    guard configuration.looksForDevices else { return configured }
    return configured
      + USBDevice.all().compactMap(LibNFCReader.init).filter { found in
        !configured.contains { $0.connstring == found.connstring }
      }
  }

  private init(connstring: LibNFCConnstring, name: String, owner: Owner?) {
    self.connstring = connstring
    self.name = name
    self.owner = owner
  }

  // MARK: - USB

  /// The devices of libnfc's USB drivers (libnfc 1.8.0, pn53x_usb.c and acr122_usb.c). The same list is in
  /// `udev/70-tessera-nfc.rules`.
  private static let drivers: [String: String] = [
    "04cc:0531": "pn53x_usb", "04cc:2533": "pn53x_usb", "04e6:5591": "pn53x_usb", "04e6:5594": "pn53x_usb",
    "054c:0193": "pn53x_usb", "054c:02e1": "pn53x_usb", "1fd3:0608": "pn53x_usb", "072f:2200": "acr122_usb",
    "072f:90cc": "acr122_usb", "072f:2214": "acr122_usb",
  ]

  /// nil for a device that libnfc does not drive.
  init?(_ device: USBDevice) {
    guard let driver = Self.drivers[device.identity] else { return nil }
    connstring = .usb(driver: driver, bus: device.bus, device: device.number)
    // The device may state any text.
    name = device.label.isEmpty ? connstring.text : PrintableText.of(device.label)
    owner = Owner(device)
  }
}

extension LibNFCReader.Owner {
  /// nil for a device that is not in use. A program that has claimed an interface through libusb shows up as the driver
  /// `usbfs`.
  init?(_ device: USBDevice) {
    guard let driver = device.driver else { return nil }
    self = driver == "usbfs" ? .program : .kernel(driver: driver)
  }
}

extension LibNFCConnstring {
  /// The USB device whose bus and number the connstring contains.
  var usbDevice: USBDevice? {
    usbAddress.flatMap { address in USBDevice.all().first { $0.bus == address.bus && $0.number == address.device } }
  }
}
