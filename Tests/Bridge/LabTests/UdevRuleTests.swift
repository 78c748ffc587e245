import Foundation
import LabDevices
import TesseraUdev
import TestSupport
import Testing

extension DoctorSuites {
  /// The rules of `udev/`, installed in this machine, with virtual devices.
  @Suite("Tessera's udev rules")
  struct Rules {
    @Test("tags the readers of libnfc and no others; udevadm reports no error in the rules")
    func readers() async throws {
      let lab = try await DoctorMachine()
      try await lab.restoreRules()
      let events = try Udev.events(subsystems: ["usb"])
      let port = try USBPort(PN533Reader())
      for await event in events where event.change == .add && event.device.attribute("idVendor") == "04cc" { break }
      // The other device is the controller's hub.
      let devices = try Udev.devices(subsystem: "usb").filter { $0.properties["DEVTYPE"] == "usb_device" }
      let reader = try #require(devices.first { $0.attribute("idVendor") == "04cc" })
      #expect(reader.tags.contains("uaccess"))
      #expect(devices.first { $0.attribute("idVendor") == "1d6b" }?.tags.contains("uaccess") == false)
      try await expectTag(reader, lab)
      port.unplug()
    }

    @Test("tags a device with force feedback, and none without")
    func rumble() async throws {
      let lab = try await DoctorMachine()
      try await lab.restoreRules()
      var model = VirtualRumbleDevice.Model.pad("Puck")
      model.keys = []
      let device = try VirtualRumbleDevice(model)
      model.name = "Still"
      model.forces = []
      let still = try VirtualRumbleDevice(model)
      try await lab.machine.prepare("udevadm settle")
      let nodes = try Udev.devices(subsystem: "input").filter { $0.node?.hasPrefix("/dev/input/event") == true }
      let puck = try #require(nodes.first { $0.attribute("device/name") == "Puck" })
      #expect(puck.tags.contains("uaccess"))
      #expect(nodes.first { $0.attribute("device/name") == "Still" }?.tags.contains("uaccess") == false)
      try await expectTag(puck, lab)
      device.unplug()
      still.unplug()
    }

    /// `udevadm test` reads all rules again, and reports those that it ignores.
    private func expectTag(_ device: UdevDevice, _ lab: DoctorMachine) async throws {
      let run = try await lab.machine.run("udevadm test --action=add \(device.sysPath) 2>&1")
      let lines = run.output.split(separator: "\n")
      #expect(lines.contains { $0.contains("TAGS=") && $0.contains(":uaccess:") }, "\(run.output)")
      // The output names a file once, and again only with an error.
      for file in ["70-tessera-nfc.rules", "70-tessera-haptics.rules"] {
        let named = lines.filter { $0.contains(file) && !$0.contains("TAG") && !$0.contains("RUN") }
        #expect(named.count == 1 && named.first?.hasPrefix("Reading rules file") == true, "\(named)")
      }
    }
  }
}
