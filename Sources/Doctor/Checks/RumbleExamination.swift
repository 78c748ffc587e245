import Failures
import Foundation
import Udev

/// The devices that can rumble: whether this user may open each of them.
struct RumbleExamination: Examination {
  let title = "Rumble devices"

  func findings() async -> [Finding] {
    let devices: [UdevDevice]
    do {
      devices = try Udev.devices(subsystem: "input").filter(Self.rumbles)
    } catch {
      return [information("haptic.unknown", error.failure.cause, remedy: error.failure.remedy)]
    }
    guard !devices.isEmpty else { return [information("haptic.none", "None is plugged in.")] }
    return devices.map(Self.finding)
  }

  private static func finding(_ device: UdevDevice) -> Finding {
    let name = PrintableText.of(device.attribute("device/name") ?? "").prefix(60)
    let title = "Rumble device \(name.isEmpty ? device.name[...] : name)"
    // Forces are written; what is entered on the device is not read.
    guard let access = NodeAccess(device, mode: W_OK, rules: .haptics) else {
      return Finding("haptic", .ok, title: title, cause: "This user may open \(device.node ?? device.name).")
    }
    if let kind = entryKinds.first(where: { device.properties["ID_INPUT_\($0.uppercased())"] == "1" }) {
      return Finding(
        "haptic.kept", .information, title: title,
        cause: "It is a \(kind) too, and stays root's: every program of the user could read what is entered on it.")
    }
    // The group "input" is no remedy: it opens every keyboard to every program of the user.
    return Finding(
      "haptic.access", .problem, title: title, cause: access.cause, remedy: access.remedy, command: access.command)
  }

  /// Kinds of devices that udev/70-tessera-haptics.rules lets nobody at, as udev's input_id calls them.
  private static let entryKinds = ["keyboard", "mouse", "touchpad", "touchscreen", "tablet"]

  /// Whether an event node's device knows `FF_RUMBLE` (linux/input-event-codes.h).
  private static func rumbles(_ device: UdevDevice) -> Bool {
    guard device.node?.hasPrefix("/dev/input/event") == true,
      let capabilities = device.attribute("device/capabilities/ff")
    else { return false }
    return hasBit(0x50, in: capabilities)
  }

  /// The kernel writes a set of bits as hexadecimal words of its own width, the highest first, without leading ones
  /// that are zero.
  static func hasBit(_ bit: Int, in words: String) -> Bool {
    let words = Array(words.split(separator: " ").reversed())
    let (word, place) = bit.quotientAndRemainder(dividingBy: UInt.bitWidth)
    guard words.indices.contains(word), let value = UInt(words[word], radix: 16) else { return false }
    return value >> UInt(place) & 1 == 1
  }
}
