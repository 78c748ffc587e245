import Foundation
import LabDevices
import TestSupport
import Testing

extension DoctorSuites {
  /// Rumble devices made by uinput; nobody is logged in here, so that no rule opens them to anybody.
  @Suite("The doctor and rumble devices")
  struct Rumble {
    @Test("a device that this user may not open: without the rules, with them, and with leave to open it")
    func access() async throws {
      let lab = try await DoctorMachine()
      try await lab.removeRules()
      let none = try await lab.look().about("haptic")
      #expect(none.map(\.id) == ["haptic.none"] && none.first?.status == "information")
      // Forces and no buttons, so that systemd does not take it for a joystick and tag it by itself.
      var model = VirtualRumbleDevice.Model.pad("Lab\u{1B}[31m Puck")
      model.keys = []
      let device = try VirtualRumbleDevice(model)
      try await lab.machine.prepare("udevadm settle")
      let closed = try #require(try await lab.machine.doctor(isNobody: true).about("haptic").first)
      #expect(closed.id == "haptic.access" && closed.status == "problem")
      #expect(closed.title == "Rumble device Lab [31m Puck")
      #expect(closed.command?.contains("doctor --rules haptics | sudo tee") == true)
      try await lab.machine.mend(closed)
      let tagged = try #require(try await lab.machine.doctor(isNobody: true).about("haptic").first)
      #expect(tagged.command?.contains("setfacl -m u:nobody:rw /dev/input/event") == true)
      #expect(tagged.remedy?.contains("group") == false && tagged.command?.contains("usermod") == false)
      try await lab.machine.mend(tagged)
      #expect(try await lab.machine.doctor(isNobody: true).about("haptic").map(\.status) == ["ok"])
      device.unplug()
      try await lab.restoreRules()
    }

    @Test("a keyboard with a motor is not opened, and that is said")
    func keyboard() async throws {
      let lab = try await DoctorMachine()
      try await lab.restoreRules()
      var model = VirtualRumbleDevice.Model.pad("Keyboard")
      // What udev's input_id takes for a keyboard: all of the first row and more (KEY_ESC to KEY_D).
      model.keys = Array(1...32)
      let device = try VirtualRumbleDevice(model)
      try await lab.machine.prepare("udevadm settle")
      let finding = try #require(try await lab.machine.doctor(isNobody: true).about("haptic").first)
      #expect(finding.id == "haptic.kept" && finding.status == "information" && finding.command == nil)
      // What lists the devices promises no command that mends it.
      let list = try await lab.machine.tessera(["haptic", "devices"], isNobody: true)
      #expect(list.output.contains("This user may not open \(device.path)"), "\(list.output)")
      #expect(!list.output.contains("prints the command"))
      device.unplug()
    }
  }
}
