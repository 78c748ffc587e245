import Foundation
import SmartCard
import Udev

/// The card readers on the USB: whether somebody can drive each of them, and nobody else holds it.
struct ReaderExamination: Examination {
  let title = "Card readers"

  func findings() async -> [Finding] {
    let readers: [USBReader]
    do {
      readers = try USBReader.all()
    } catch {
      return [information("reader.unknown", error.failure.cause, remedy: error.failure.remedy)]
    }
    // Where the daemon does not answer, its own examination says so.
    let listed = await answer(within: .seconds(2)) { try? await PCSCContext().readers().map(\.name) } ?? nil
    guard !readers.isEmpty else {
      guard let listed, !listed.isEmpty else { return [information("reader.none", "No USB reader is plugged in.")] }
      return [ok("reader", "pcscd lists \(listed.count) readers that are not on the USB.")]
    }
    let drivers = DriverProperties.installed()
    return readers.map { ReaderDiagnosis(reader: $0, all: readers, listed: listed, drivers: drivers).finding }
  }
}

/// What there is to say about one reader.
private struct ReaderDiagnosis {
  let reader: USBReader
  let all: [USBReader]
  /// The names that pcscd lists; nil where it does not answer.
  let listed: [String]?
  let drivers: [(bundle: String, properties: DriverProperties)]

  var finding: Finding {
    if let (interface, driver) = reader.held { return heldByKernel(interface, driver) }
    if let name = nameInPCSC { return drivenByPCSC(name) }
    if reader.isKnownToLibNFC {
      guard let access = NodeAccess(reader.device, mode: R_OK | W_OK, rules: .nfc) else {
        return finding("reader", .ok, "libnfc drives it, and this user may open it.")
      }
      return finding("reader.access", .problem, access.cause, access.remedy, access.command)
    }
    return unknownToDrivers
  }

  /// nil where no driver of pcscd's knows the reader.
  private var nameInPCSC: String? { drivers.lazy.compactMap { $0.properties.readerName(reader.identity) }.first }

  private func heldByKernel(_ interface: UdevDevice, _ driver: String) -> Finding {
    let restart = PCSCServiceExamination.program == nil ? [] : SystemDaemon.pcscd.restart
    guard driver.hasPrefix("pn533") else {
      let file = Shell.word("/sys/bus/usb/drivers/\(driver)/unbind")
      return finding(
        "reader.kernelDriver", .problem,
        "The kernel's driver \(driver) holds it, so that neither pcscd nor libnfc can use it.",
        "Take the reader away from that driver.",
        RootCommand.line([.write("echo \(Shell.word(interface.name))", to: file)] + restart))
    }
    let blacklist: [RootCommand] =
      ModuleBlacklist.contains(driver)
      ? [] : [.write(#"printf 'blacklist %s\n' pn533_usb pn533"#, to: "/etc/modprobe.d/tessera-nfc.conf")]
    return finding(
      "reader.kernelDriver", .problem,
      "The kernel's NFC driver \(driver) holds it, so that neither pcscd nor libnfc can use it.",
      "Keep that driver from being loaded by itself, and unload it.",
      RootCommand.line(blacklist + [.run("modprobe -r \(driver)")] + restart))
  }

  private func drivenByPCSC(_ name: String) -> Finding {
    guard let listed else {
      return finding("reader", .information, "pcscd has a driver for it, and does not answer now.")
    }
    // pcscd lists a reader under its driver's name for it, with more behind: a serial number, the reader's number and
    // that of the slot.
    let alike = all.filter { other in drivers.contains { $0.properties.readerName(other.identity) == name } }
    guard listed.count(where: { $0.hasPrefix(name) && $0.hasSuffix(" 00") }) < alike.count else {
      return finding("reader", .ok, "pcscd lists it.")
    }
    return finding(
      "reader.unseen", .problem, "pcscd has a driver for it and does not list it: another program may hold it.",
      "End programs that use the reader without pcscd (such as those of libnfc), and start pcscd anew.",
      RootCommand.line(SystemDaemon.pcscd.restart))
  }

  private var unknownToDrivers: Finding {
    guard drivers.contains(where: { $0.bundle == DriverProperties.ccidBundle }) else {
      return finding(
        "reader.ccidMissing", .problem, "pcscd's driver for such readers, libccid, is not installed.",
        "Install the driver.",
        RootCommand.line([.run("apt-get install -y libccid")] + SystemDaemon.pcscd.restart))
    }
    return finding(
      "reader.ccidUnknown", .problem, "libccid does not list its id \(reader.identity), so pcscd leaves it alone.",
      "Install a newer libccid, or add the id to its list.", ccidAddition)
  }

  /// Puts the reader at the head of the three lists, which go side by side.
  private var ccidAddition: String {
    let entries = [
      ("ifdVendorID", "0x\(reader.identity.vendorDigits)"), ("ifdProductID", "0x\(reader.identity.productDigits)"),
      ("ifdFriendlyName", "USB reader \(reader.identity.vendorDigits) \(reader.identity.productDigits)"),
    ].map { key, value in
      "-e '/<key>\(key)</,/<array>/s|<array>|<array><string>\(value)</string>|'"
    }
    return RootCommand.line(
      [.run("sed -i \(entries.joined(separator: " ")) /etc/libccid_Info.plist")] + SystemDaemon.pcscd.restart)
  }

  private func finding(
    _ id: String, _ status: Finding.Status, _ cause: String, _ remedy: String? = nil, _ command: String? = nil
  ) -> Finding {
    Finding(id, status, title: "Reader \(reader.name)", cause: cause, remedy: remedy, command: command)
  }
}
