import Glibc
import TesseraCore
import TesseraUdev

/// Checks that this user may open each force-feedback device with rumble.
struct RumbleDeviceCheck: DiagnosticCheck {
  let title = "Rumble devices"

  func findings() async -> [Finding] {
    let devices: [UdevDevice]
    do {
      devices = try Udev.devices(subsystem: "input").filter(Self.rumbles)
    } catch {
      return [information("haptic.unknown", error.failure.cause, remedy: error.failure.remedy)]
    }
    guard !devices.isEmpty else { return [information("haptic.none", Self.none)] }
    return devices.map(Self.finding)
  }

  private static let none = """
    No rumble device is connected. Debian's kernels do not play rumble on Stadia, Steam Deck and SHIELD gamepads.
    """

  private static func finding(_ device: UdevDevice) -> Finding {
    let name = PrintableText.of(device.attribute("device/name") ?? "").prefix(60)
    let title = "Rumble device \(name.isEmpty ? device.name[...] : name)"
    // Playing an effect requires write access only; Tessera does not read the device's input.
    guard let access = NodeAccess(device, mode: W_OK, rules: .haptics) else {
      return Finding("haptic", .ok, title: title, cause: "This user may open \(device.node ?? device.name).")
    }
    if let kind = inputKinds.first(where: { device.properties["ID_INPUT_\($0.uppercased())"] == "1" }) {
      return Finding(
        "haptic.kept", .information, title: title,
        cause:
          "It is also a \(kind) and remains restricted to root: other programs of the user could read its input."
      )
    }
    // Membership in the group "input" is not a remedy: every program of the user could then read every keyboard.
    return Finding(
      "haptic.access", .problem, title: title, cause: access.cause, remedy: access.remedy, command: access.command,
      correction: access.correction)
  }

  /// The device types that udev/70-tessera-haptics.rules excludes, in the terms of udev's input_id.
  private static let inputKinds = ["keyboard", "mouse", "touchpad", "touchscreen", "tablet"]

  /// Whether the device has an event node and supports `FF_RUMBLE` (linux/input-event-codes.h).
  private static func rumbles(_ device: UdevDevice) -> Bool {
    guard device.node?.hasPrefix("/dev/input/event") == true,
      let capabilities = device.attribute("device/capabilities/ff")
    else { return false }
    return hasBit(0x50, in: capabilities)
  }

  /// Tests a bit in a sysfs bit set: hexadecimal words of the kernel's word size, most significant word first, without
  /// leading zero words.
  static func hasBit(_ bit: Int, in words: String) -> Bool {
    let words = Array(words.split(separator: " ").reversed())
    let (word, place) = bit.quotientAndRemainder(dividingBy: UInt.bitWidth)
    guard words.indices.contains(word), let value = UInt(words[word], radix: 16) else { return false }
    return value >> UInt(place) & 1 == 1
  }
}
