import Foundation
import LabDevices
import TestSupport
import Testing

extension DoctorSuites {
  /// USB readers of this machine below the real kernel, udev, libccid and pcscd.
  @Suite("The doctor and readers")
  struct Readers {
    /// QEMU's reader, by its entry in libccid's list.
    private static let listed = "08e6:4433"
    private static let list = "/etc/libccid_Info.plist"

    @Test("reports a reader that pcscd lists; without pcscd it reports no problem of the reader")
    func healthy() async throws {
      let lab = try await DoctorMachine()
      try await lab.restartService()
      let finding = try await lab.reader(Self.listed)
      #expect(finding.id == "reader" && finding.status == "ok" && finding.cause == "pcscd lists it.")
      try await lab.stopService()
      let without = try await lab.reader(Self.listed)
      #expect(without.status == "information")
    }

    @Test("reports a CCID reader that libccid does not list; the command adds it, and pcscd lists it then")
    func unlisted() async throws {
      let lab = try await DoctorMachine()
      try await lab.machine.prepare("cp \(Self.list) $LAB/list")
      let port = try USBPort(UnlistedCCIDReader())
      try await lab.restartService()
      let finding = try await lab.reader("1209:0001")
      #expect(finding.id == "reader.ccidUnknown" && finding.status == "problem")
      #expect(finding.title == "Reader Tessera Lab Unlisted Reader (1209:0001)")
      try await lab.machine.applyRemedy(of: finding)
      let solved = try await lab.report()
      #expect(try solved.reader("1209:0001").cause == "pcscd lists it.")
      // The other entries of the list still work.
      #expect(try solved.reader(Self.listed).cause == "pcscd lists it.")
      let readers = try await lab.machine.tessera(["readers"])
      #expect(readers.output.contains("USB reader 1209 0001") && readers.output.contains("Gemalto"))
      port.unplug()
      try await lab.machine.prepare("cp $LAB/list \(Self.list)")
      try await lab.stopService()
    }

    @Test("reports that libccid is not installed")
    func noLibrary() async throws {
      let lab = try await DoctorMachine()
      try await lab.machine.prepare("mount -t tmpfs tmpfs /usr/lib/pcsc/drivers")
      let finding = try await lab.reader(Self.listed)
      #expect(finding.id == "reader.ccidMissing" && finding.status == "problem")
      #expect(finding.command?.hasPrefix("apt-get install -y libccid && ") == true)
    }

    @Test("reports a supported reader that pcscd does not list; the command solves it")
    func unseen() async throws {
      let lab = try await DoctorMachine()
      // A daemon that started with a different list.
      try await lab.machine.prepare("cp \(Self.list) $LAB/list && sed -i s/0x4433/0x4499/ \(Self.list)")
      try await lab.restartService()
      try await lab.machine.prepare("cp $LAB/list \(Self.list)")
      let finding = try await lab.reader(Self.listed)
      #expect(finding.id == "reader.unseen" && finding.status == "problem")
      try await lab.machine.applyRemedy(of: finding)
      #expect(try await lab.reader(Self.listed).cause == "pcscd lists it.")
      try await lab.stopService()
    }

    @Test("reports a reader that the kernel driver pn533_usb claimed; the command unloads the driver permanently")
    func nfcDriver() async throws {
      let lab = try await DoctorMachine()
      // Tessera's rules would unbind the reader at once, and Debian's libnfc blacklists the driver.
      try await lab.removeRules()
      try await lab.machine.prepare("mkdir $LAB/modprobe && mount --bind $LAB/modprobe /etc/modprobe.d")
      try await lab.machine.prepare("modprobe pn533_usb")
      let port = try USBPort(PN533Reader())
      try await waitForDriver("pn533_usb", lab)
      let finding = try await lab.reader("04cc:2533")
      #expect(finding.id == "reader.kernelDriver" && finding.status == "problem")
      #expect(finding.cause.contains("pn533_usb"))
      #expect(
        finding.command?.contains("/etc/modprobe.d/tessera-nfc.conf > /dev/null && modprobe -r pn533_usb") == true)
      try await lab.machine.applyRemedy(of: finding)
      #expect(try await lab.reader("04cc:2533").cause == "libnfc supports it, and this user may open it.")
      #expect(
        try await lab.machine.run("cat /etc/modprobe.d/tessera-nfc.conf").output
          == "blacklist pn533_usb\nblacklist pn533\n")

      // Loaded explicitly in spite of the blacklist: it only must be unloaded.
      try await lab.machine.prepare("modprobe pn533_usb")
      try await waitForDriver("pn533_usb", lab)
      let again = try await lab.reader("04cc:2533")
      #expect(again.command == "modprobe -r pn533_usb && systemctl restart pcscd.socket pcscd.service")
      try await lab.machine.applyRemedy(of: again)
      #expect(try await lab.machine.run("ls /sys/bus/usb/drivers/pn533_usb").status != 0, "it is unloaded")
      port.unplug()
      try await lab.restoreRules()
      try await lab.stopService()
    }

    @Test("Tessera's rules unbind a reader from pn533_usb automatically")
    func ruleAgainstDriver() async throws {
      let lab = try await DoctorMachine()
      try await lab.restoreRules()
      try await lab.machine.prepare("modprobe pn533_usb")
      let port = try USBPort(PN533Reader())
      // The kernel's log shows that it was bound. Then it is unbound, with the driver still loaded.
      var log = ""
      for _ in 0..<100 where !log.contains("NXP PN5") {
        log = try await lab.machine.run("dmesg | grep pn533 | tail -n 3").output
      }
      #expect(log.contains("NXP PN5"), "\(log)")
      var isBound = true
      for _ in 0..<50 where isBound {
        isBound = try await lab.machine.run("ls /sys/bus/usb/drivers/pn533_usb").output.contains(":1.0")
      }
      #expect(!isBound)
      #expect(try await lab.reader("04cc:2533").cause == "libnfc supports it, and this user may open it.")
      port.unplug()
      try await lab.machine.prepare("modprobe -r pn533_usb")
    }

    @Test("reports a reader's interface that another kernel driver claimed; the command unbinds it")
    func otherDriver() async throws {
      let lab = try await DoctorMachine()
      try await lab.stopService()
      try await lab.machine.prepare(
        "modprobe usbserial && echo 08e6 4433 > /sys/bus/usb-serial/drivers/generic/new_id")
      try await waitForDriver("usbserial_generic", lab)
      let finding = try await lab.reader(Self.listed)
      #expect(finding.id == "reader.kernelDriver" && finding.cause.contains("usbserial_generic"))
      try await lab.machine.applyRemedy(of: finding)
      #expect(try await lab.reader(Self.listed).cause == "pcscd lists it.")
      try await lab.stopService()
      try await lab.machine.prepare("modprobe -r usbserial")
    }

    @Test("reports a reader of libnfc without the rules, with the rules, and with permission")
    func access() async throws {
      let lab = try await DoctorMachine()
      try await lab.removeRules()
      let port = try USBPort(PN533Reader())
      try await lab.machine.prepare("echo '# mine' > /etc/udev/rules.d/70-tessera-haptics.rules")
      let report = try await lab.report(isNobody: true)
      let rules = report.about("rules")
      #expect(rules.map(\.id) == ["rules.haptics", "rules.nfc"] && rules.allSatisfy { $0.status == "information" })
      #expect(rules.first?.cause.contains("differs from the file") == true)
      #expect(rules.last?.cause.contains("is not installed") == true)
      let closed = try report.reader("04cc:2533")
      #expect(closed.id == "reader.access" && closed.status == "problem")
      #expect(closed.cause.contains("Tessera's udev rules are not installed"))
      // The command installs the rules that the program contains, and applies them to the devices present.
      try await lab.machine.applyRemedy(of: closed)
      let tagged = try await lab.reader("04cc:2533", isNobody: true)
      #expect(tagged.id == "reader.access" && tagged.cause.contains("active local session"))
      #expect(tagged.command?.contains("setfacl -m u:nobody:rw /dev/bus/usb/") == true)
      try await lab.machine.applyRemedy(of: tagged)
      try await lab.restoreRules()
      let open = try await lab.report(isNobody: true)
      #expect(try open.reader("04cc:2533").status == "ok")
      #expect(open.about("rules").map(\.status) == ["ok", "ok"])
      port.unplug()
    }

    /// The kernel binds drivers asynchronously.
    private func waitForDriver(_ name: String, _ lab: DoctorMachine) async throws {
      try await lab.machine.prepare(
        """
        for i in $(seq 5000); do ls /sys/bus/usb/drivers/\(name) | grep -q ':' && exit; sleep 0.02; done
        dmesg | tail; exit 1
        """)
    }
  }
}
