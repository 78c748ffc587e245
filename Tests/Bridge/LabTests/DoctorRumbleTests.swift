import Foundation
import LabDevices
import TestSupport
import Testing

extension DoctorSuites {
  /// Rumble devices of uinput. No user is logged in here, so the rules permit no user.
  @Suite("The doctor and rumble devices")
  struct Rumble {
    @Test("reports a device without the rules, with the rules, and with permission")
    func access() async throws {
      let lab = try await DoctorMachine()
      try await lab.removeRules()
      let none = try await lab.report().about("haptic")
      #expect(none.map(\.id) == ["haptic.none"] && none.first?.status == "information")
      // Force feedback without buttons, so that systemd's rules do not classify it as a joystick and tag it.
      var model = VirtualRumbleDevice.Model.pad("Lab\u{1B}[31m Puck")
      model.keys = []
      let device = try VirtualRumbleDevice(model)
      try await lab.machine.prepare("udevadm settle")
      let closed = try #require(try await lab.machine.doctor(isNobody: true).about("haptic").first)
      #expect(closed.id == "haptic.access" && closed.status == "problem")
      #expect(closed.title == "Rumble device Lab [31m Puck")
      #expect(closed.command?.contains("doctor --rules haptics | sudo tee") == true)
      try await lab.machine.applyRemedy(of: closed)
      let tagged = try #require(try await lab.machine.doctor(isNobody: true).about("haptic").first)
      #expect(tagged.command?.contains("setfacl -m u:nobody:rw /dev/input/event") == true)
      #expect(tagged.remedy?.contains("group") == false && tagged.command?.contains("usermod") == false)
      try await lab.machine.applyRemedy(of: tagged)
      #expect(try await lab.machine.doctor(isNobody: true).about("haptic").map(\.status) == ["ok"])
      device.unplug()
      try await lab.restoreRules()
    }

    @Test("reports that a keyboard with a motor is not used")
    func keyboard() async throws {
      let lab = try await DoctorMachine()
      try await lab.restoreRules()
      var model = VirtualRumbleDevice.Model.pad("Keyboard")
      // udev's input_id classifies a device with all these keys as a keyboard (KEY_ESC to KEY_D).
      model.keys = Array(1...32)
      let device = try VirtualRumbleDevice(model)
      try await lab.machine.prepare("udevadm settle")
      let finding = try #require(try await lab.machine.doctor(isNobody: true).about("haptic").first)
      #expect(finding.id == "haptic.kept" && finding.status == "information" && finding.command == nil)
      // The list of devices mentions no command for it.
      let list = try await lab.machine.tessera(["haptic", "devices"], isNobody: true)
      #expect(list.output.contains("This user may not open \(device.path)"), "\(list.output)")
      #expect(!list.output.contains("prints the command"))
      device.unplug()
    }
  }
}
