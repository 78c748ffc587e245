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
    return devices.map { device in
      let name = PrintableText.of(device.attribute("device/name") ?? "").prefix(60)
      let title = "Rumble device \(name.isEmpty ? device.name[...] : name)"
      // The group "input" is no remedy: it opens every keyboard to every program of the user.
      guard let access = NodeAccess(device, rules: .nfc) else {
        return Finding("haptic", .ok, title: title, cause: "This user may open \(device.node ?? device.name).")
      }
      return Finding(
        "haptic.access", .problem, title: title, cause: access.cause, remedy: access.remedy, command: access.command)
    }
  }

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
