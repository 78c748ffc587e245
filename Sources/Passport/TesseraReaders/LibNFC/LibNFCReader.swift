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

/// The devices that the user has configured for libnfc, and whether to search for others: from the environment and the
/// files that libnfc itself reads (nfc-internal.c, `nfc_context_new`; conf.c). They are read here because libnfc's own
/// list opens every USB device that it finds and resets some, even those that another program uses.
struct LibNFCConfiguration: Sendable, Equatable {
  var connstrings: [LibNFCConnstring] = []
  /// Whether USB devices are detected automatically.
  var looksForDevices = true

  /// The configuration of this process.
  static var current: LibNFCConfiguration {
    let folder = "/etc/nfc/devices.d"
    let devices = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
      .filter { $0.hasSuffix(".conf") && !$0.hasPrefix(".") }
    return LibNFCConfiguration(
      environment: ProcessInfo.processInfo.environment, main: text("/etc/nfc/libnfc.conf"),
      devices: devices.map { text("\(folder)/\($0)") })
  }

  /// - Parameters:
  ///   - main: The contents of libnfc.conf.
  ///   - devices: The contents of the files in devices.d, whose keys lack the prefix `device.`.
  init(environment: [String: String], main: String, devices: [String]) {
    let keys = Self.pairs(main) + devices.flatMap { Self.pairs($0).map { ("device.\($0)", $1) } }
    if let only = environment["LIBNFC_DEVICE"], !only.isEmpty {
      add(only)
    } else {
      if let first = environment["LIBNFC_DEFAULT_DEVICE"] { add(first) }
      for (key, value) in keys where key == "device.connstring" { add(value) }
    }
    for (key, value) in keys where key == "allow_autoscan" { apply(value) }
    if let value = environment["LIBNFC_AUTO_SCAN"] { apply(value) }
  }

  private mutating func add(_ text: String) {
    guard let connstring = try? LibNFCConnstring(text), !connstrings.contains(connstring) else { return }
    connstrings.append(connstring)
  }

  private mutating func apply(_ value: String) {
    if ["yes", "true", "1"].contains(value) { looksForDevices = true }
    if ["no", "false", "0"].contains(value) { looksForDevices = false }
  }

  private static func text(_ path: String) -> String {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Lines of `key = value` or `key = "value"`; those that begin with # are comments.
  private static func pairs(_ text: String) -> [(String, String)] {
    text.split(whereSeparator: \.isNewline).compactMap { line in
      let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmed }
      guard !line.hasPrefix("#"), parts.count == 2 else { return nil }
      return (parts[0], parts[1].trimmed { $0 == "\"" })
    }
  }
}
