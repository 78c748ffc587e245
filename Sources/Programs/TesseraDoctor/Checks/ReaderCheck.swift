import Glibc
import TesseraReaders
import TesseraThreads
import TesseraUdev

/// Checks that each USB card reader has a driver and that no other driver has claimed it.
struct ReaderCheck: DiagnosticCheck {
  let title = "Card readers"
  /// How long pcscd may take to list its readers. The check also works without, so this is less than its time limit.
  var listLimit = Duration.seconds(2)

  func findings() async -> [Finding] {
    let readers: [USBReader]
    do {
      readers = try USBReader.all()
    } catch {
      return [information("reader.unknown", error.failure.cause, remedy: error.failure.remedy)]
    }
    // `PCSCServiceCheck` reports a daemon that does not respond.
    let listed = try? await withTimeLimit(listLimit) { try await PCSCContext().readers().map(\.name) }
    guard !readers.isEmpty else {
      guard let listed, !listed.isEmpty else { return [information("reader.none", "No USB card reader is connected.")] }
      return [ok("reader", "pcscd lists \(listed.count) readers that are not USB devices.")]
    }
    let drivers = DriverProperties.installed()
    return readers.map { ReaderDiagnosis(reader: $0, all: readers, listed: listed, drivers: drivers).finding }
  }
}

/// The diagnosis of one reader.
struct ReaderDiagnosis {
  let reader: USBReader
  let all: [USBReader]
  /// The names that pcscd lists; nil if it does not respond.
  let listed: [String]?
  let drivers: [(bundle: String, properties: DriverProperties)]

  var finding: Finding {
    if let (interface, driver) = reader.kernelDriver { return claimed(interface, by: driver) }
    if let name = nameInPCSC { return drivenByPCSC(name) }
    if reader.isKnownToLibNFC {
      guard let access = NodeAccess(reader.device, mode: R_OK | W_OK, rules: .nfc) else {
        return finding("reader", .ok, "libnfc supports it, and this user may open it.")
      }
      return finding(
        "reader.access", .problem, access.cause, access.remedy, access.correction, command: access.command)
    }
    return unknownToDrivers
  }

  /// The name for which pcscd has a driver; nil if none of its drivers supports the reader.
  private var nameInPCSC: String? { drivers.lazy.compactMap { $0.properties.readerName(reader.identity) }.first }

  private func claimed(_ interface: UdevDevice, by driver: String) -> Finding {
    let (cause, remedy, commands) = Self.release(
      interface.name, from: driver, isBlacklisted: ModuleBlacklist.contains(driver))
    let restart = PCSCServiceCheck.program == nil ? [] : SystemDaemon.pcscd.restart
    return finding("reader.kernelDriver", .problem, cause, remedy, .root(commands + restart))
  }

  /// How a reader becomes free of a driver of the kernel.
  ///
  /// - Parameters:
  ///   - interface: the name of its USB interface.
  ///   - isBlacklisted: whether the driver is not loaded automatically.
  static func release(
    _ interface: String, from driver: String, isBlacklisted: Bool
  ) -> (cause: String, remedy: String, commands: [RootCommand]) {
    guard driver.hasPrefix("pn533") else {
      let file = Shell.word("/sys/bus/usb/drivers/\(driver)/unbind")
      return (
        "The kernel driver \(driver) has claimed it, so neither pcscd nor libnfc can use it.",
        "Unbind the reader from that driver.", [.write("echo \(Shell.word(interface))", to: file)]
      )
    }
    let blacklist: [RootCommand] =
      isBlacklisted
      ? [] : [.write(#"printf 'blacklist %s\n' pn533_usb pn533"#, to: "/etc/modprobe.d/tessera-nfc.conf")]
    return (
      "The kernel's NFC driver \(driver) has claimed it, so neither pcscd nor libnfc can use it.",
      "Blacklist that kernel module, and unload it.", blacklist + [.run("modprobe -r \(driver)")]
    )
  }

  private func drivenByPCSC(_ name: String) -> Finding {
    guard let listed else {
      return finding("reader", .information, "pcscd has a driver for it, but does not respond.")
    }
    // A reader's name in pcscd is the name from its driver, followed by a serial number, the reader number and the slot
    // number.
    let alike = all.filter { other in drivers.contains { $0.properties.readerName(other.identity) == name } }
    guard listed.count(where: { $0.hasPrefix(name) && $0.hasSuffix(" 00") }) < alike.count else {
      return finding("reader", .ok, "pcscd lists it.")
    }
    return finding(
      "reader.unseen", .problem, "pcscd has a driver for it but does not list it. Another program may be using it.",
      "Close programs that use the reader without pcscd, for example with libnfc, and restart pcscd.",
      .root(SystemDaemon.pcscd.restart))
  }

  private var unknownToDrivers: Finding {
    guard drivers.contains(where: { $0.bundle == DriverProperties.ccidBundle }) else {
      return finding(
        "reader.ccidMissing", .problem, "libccid, pcscd's driver for this kind of reader, is not installed.",
        "Install the driver.",
        .root([.install(["libccid"])] + SystemDaemon.pcscd.restart))
    }
    return finding(
      "reader.ccidUnknown", .problem, "libccid does not list its ID \(reader.identity), so pcscd does not use it.",
      "Install a newer libccid, or add the ID to its list.", ccidAddition)
  }

  /// Adds the reader at the head of the three parallel lists.
  private var ccidAddition: Correction {
    let entries = [
      ("ifdVendorID", "0x\(reader.identity.vendorDigits)"), ("ifdProductID", "0x\(reader.identity.productDigits)"),
      ("ifdFriendlyName", "USB reader \(reader.identity.vendorDigits) \(reader.identity.productDigits)"),
    ].map { key, value in
      "-e '/<key>\(key)</,/<array>/s|<array>|<array><string>\(value)</string>|'"
    }
    return .root(
      [.run("sed -i \(entries.joined(separator: " ")) /etc/libccid_Info.plist")] + SystemDaemon.pcscd.restart)
  }

  private func finding(
    _ id: String, _ status: Finding.Status, _ cause: String, _ remedy: String? = nil,
    _ correction: Correction? = nil, command: String? = nil
  ) -> Finding {
    Finding(
      id, status, title: "Reader \(reader.name)", cause: cause, remedy: remedy, command: command,
      correction: correction)
  }
}
