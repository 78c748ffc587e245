import CLab
import Foundation
import LabDevices
import TesseraHaptics
import TesseraJSON
import TesseraUdev
import TestSupport
import Testing

extension HapticLab {
  @Suite("List of devices, and choice of the default")
  struct Devices {
    @Test("lists name, path, motors, slots and the default")
    func list() async throws {
      var model = VirtualRumbleDevice.Model.pad("Lab \u{1B}[31mPad")
      model.slots = 7
      let device = try VirtualRumbleDevice(model)
      let user = try User()
      let text = try await user.tessera(["haptic", "devices"])
      // Control characters in the name of the device have no effect.
      #expect(
        text.output == "\(device.path): Lab  [31mPad (default)\n  strong and weak motor, 7 slots, gain, gamepad\n",
        "\(text.output)\(text.errors)")
      let json = try JSONValue(text: try await user.tessera(["haptic", "devices", "--json"]).output)
      guard case .array(let devices)? = json["devices"], let found = devices.first, devices.count == 1 else {
        Issue.record("\(json.text)")
        return
      }
      #expect(found["path"] == .string(device.path) && found["name"]?.stringValue == "Lab \u{1B}[31mPad")
      #expect(found["motors"] == ["strong", "weak"] && found["slots"] == 7 && found["gain"] == true)
      #expect(found["default"] == true && found["gamepad"] == true && found["obstacle"] == .null)
      #expect(found["vendor"] == "1d50" && found["product"] == "0001" && found["bus"] == "0003")
    }

    @Test("without a device, a call succeeds unless a device is required")
    func nothing() async throws {
      let user = try User()
      for arguments in [["devices"], ["notification", "error"]] {
        let run = try await user.tessera(["haptic"] + arguments)
        #expect(run.status == 0 && run.output.isEmpty, "\(arguments)")
        #expect(run.errors.contains("No force-feedback device is connected."), "\(run.errors)")
        #expect(try await user.tessera(["haptic"] + arguments + ["--require"]).status == 3, "\(arguments)")
      }
      let call = try await user.tessera(["call", "haptic.impact"])
      #expect(call.status == 0 && call.output == "null\n" && call.errors.isEmpty)
      #expect(try await user.tessera(["call", "haptic.isAvailable"]).output == "false\n")
    }

    @Test("lists a device without permission with reason and remedy, and returns no error to content")
    func refused() async throws {
      let device = try VirtualRumbleDevice()
      let folder = try TemporaryFolder()
      func asNobody(_ arguments: [String]) async throws -> ProgramRun {
        try await RunningProgram(
          URL(fileURLWithPath: "/usr/bin/setpriv"),
          ["--reuid=65534", "--regid=65534", "--clear-groups", ProgramRun.tessera.path] + arguments,
          environment: ["XDG_DATA_HOME": folder.url.path, "HOME": folder.url.path]
        ).finish()
      }
      let list = try await asNobody(["haptic", "devices"])
      #expect(list.status == 0 && list.output.contains("\(device.path): Tessera Lab Pad\n"), "\(list.errors)")
      #expect(list.output.contains("This user may not open \(device.path).") && list.output.contains("tessera doctor"))
      let json = try JSONValue(text: try await asNobody(["haptic", "devices", "--json"]).output)
      guard case .array(let devices)? = json["devices"] else {
        Issue.record("\(json.text)")
        return
      }
      #expect(devices.count == 1 && devices.first?["slots"] == .null && devices.first?["default"] == false)
      #expect(devices.first?["obstacle"]?["cause"] == .string("This user may not open \(device.path)."))
      #expect(devices.first?["motors"] == ["strong", "weak"])

      let impact = try await asNobody(["haptic", "impact", "heavy"])
      #expect(impact.status == 0 && impact.errors.contains("This user may not open"), "\(impact.errors)")
      #expect(try await asNobody(["haptic", "impact", "heavy", "--require"]).status == 3)
      let call = try await asNobody(["call", "haptic.trigger"])
      #expect(call.status == 0 && call.output == "null\n", "\(call.errors)")
      #expect(device.events.isEmpty)
    }

    @Test("a running player detects new devices, and prefers a gamepad")
    func hotPlug() async throws {
      let user = try User()
      let player = user.player()
      #expect(await !player.isAvailable())
      await #expect(throws: HapticError.noDevice) { try await player.play(HapticWord.selection.pattern) }

      var model = VirtualRumbleDevice.Model.pad("Lab Wheel")
      model.keys = []
      let wheel = try VirtualRumbleDevice(model)
      #expect(await Self.eventually { await player.isAvailable() })
      #expect(try await player.play(HapticWord.selection.pattern).device?.path == wheel.path)

      // The wheel was used last, which takes precedence over a gamepad.
      let pad = try VirtualRumbleDevice()
      #expect(try await player.play(HapticWord.selection.pattern).device?.path == wheel.path)
      // A player without a last used device prefers the gamepad, although it was plugged in later.
      let other = try User()
      #expect(try await other.player().play(HapticWord.selection.pattern).device?.path == pad.path)
      #expect(other.memory.identity?.name == "Tessera Lab Pad" && user.memory.identity?.name == "Lab Wheel")
      // A named device is used, and is the default from then on.
      let named = try await user.tessera(["haptic", "selection", "--device", pad.path])
      #expect(named.status == 0 && user.memory.identity?.name == "Tessera Lab Pad", "\(named.errors)")
      let list = try await user.tessera(["haptic", "devices"])
      #expect(list.output.contains("Tessera Lab Pad (default)") && list.output.contains("Lab Wheel\n"))

      // After it was unplugged and plugged in again, the running player uses it again.
      pad.unplug()
      wheel.forgetEntries()
      #expect(try await player.play(HapticWord.selection.pattern).device?.path == wheel.path)
      let again = try VirtualRumbleDevice()
      try await user.player(.path(again.path)).play(HapticWord.selection.pattern)
      #expect(
        await Self.eventually {
          (try? await player.play(HapticWord.selection.pattern))?.device?.path == again.path
        })
    }

    @Test("ignores a damaged record of the last used device")
    func damagedMemory() async throws {
      let device = try VirtualRumbleDevice()
      let user = try User()
      let file = user.folder.file("tessera/haptic-device.json")
      try FileManager.default.createDirectory(
        atPath: user.folder.file("tessera"), withIntermediateDirectories: true)
      for content in ["", "{", #"{"name": 1}"#, String(repeating: "x", count: 10_000)] {
        try content.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(user.memory.identity == nil)
        #expect(try await user.player().play(HapticWord.selection.pattern).device?.path == device.path)
        #expect(user.memory.identity?.name == "Tessera Lab Pad")
      }
    }

    @Test("the rule tags devices with force feedback, but not keyboards")
    func rule() throws {
      var puck = VirtualRumbleDevice.Model.pad("Lab Puck")
      puck.keys = []
      var keyboard = VirtualRumbleDevice.Model.pad("Lab Keyboard")
      keyboard.keys = Array(1...KEY_D)
      var plain = VirtualRumbleDevice.Model.pad("Lab Button")
      (plain.keys, plain.forces, plain.slots) = ([KEY_POWER], [], 0)
      let devices = try [puck, keyboard, plain].map(VirtualRumbleDevice.init)
      let known = try Udev.devices(subsystem: "input")
      let tagged = devices.map { device in
        known.first { $0.sysPath == device.sysPath }.map { $0.tags.contains("uaccess") }
      }
      #expect(tagged == [true, false, false])
      #expect(known.first { $0.sysPath == devices[1].sysPath }?.properties["ID_INPUT_KEYBOARD"] == "1")
    }

    private static func eventually(_ condition: () async -> Bool) async -> Bool {
      (try? await isTrue(within: .seconds(60)) { await condition() }) ?? false
    }
  }
}
