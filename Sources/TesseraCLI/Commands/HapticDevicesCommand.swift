import ArgumentParser
import Foundation
import Tessera

extension HapticCommand {
  struct Devices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the force-feedback devices, and says why one cannot be used.",
      discussion: """
        The default is the device that was used last, then a gamepad, then the one plugged in first.

        Examples:
          tessera haptic devices
          tessera haptic devices --json
        """)

    @Flag(help: "Print one JSON object.") var json = false

    @Flag(help: "Fail (exit status 3) where there is none that can be used.") var require = false

    func run() async throws {
      // The answer's JSON is one object, and a machine without devices is not a failure.
      let found = try RumbleDevice.all(lastUsed: LastUsedDevice.standard.identity).map { ($0, $0.probe()) }
      let chosen = found.first { (try? $0.1.get()) != nil }?.0
      if json {
        let devices = found.map { Self.object($0, $1, isDefault: $0 == chosen) }
        try StandardOutput.write((["devices": .array(devices)] as JSONValue).text)
      } else {
        for (device, access) in found {
          try StandardOutput.write(Self.lines(device, access, isDefault: device == chosen))
        }
      }
      guard chosen == nil else { return }
      var failure = HapticError.noDevice.failure
      if case .failure(let first)? = found.first?.1 { failure = first.failure }
      if found.isEmpty || require { Note.write(failure.description) }
      if require { throw ExitCode(failure.kind.exitStatus) }
    }

    private static func lines(
      _ device: RumbleDevice, _ access: Result<Int, HapticError>, isDefault: Bool
    ) -> String {
      let head = "\(device.path): \(Terminal.printable(device.name))\(isDefault ? " (default)" : "")"
      switch access {
      case .success(let slots):
        let facts = [
          device.features.hasRumble ? "strong and weak motor" : "one motor", "\(slots) slots",
          device.features.hasPeriodic ? "waves" : nil, device.features.hasGain ? "gain" : nil,
          device.isGamepad ? "gamepad" : nil,
        ]
        return "\(head)\n  \(facts.compactMap(\.self).joined(separator: ", "))"
      case .failure(let error): return "\(head)\n  \(error.failure.description)"
      }
    }

    private static func object(
      _ device: RumbleDevice, _ access: Result<Int, HapticError>, isDefault: Bool
    ) -> JSONValue {
      let slots: JSONValue = (try? access.get()).map { .integer(Int64($0)) } ?? nil
      var obstacle: JSONValue = nil
      if case .failure(let error) = access {
        obstacle = [
          "cause": .string(error.failure.cause), "remedy": error.failure.remedy.map(JSONValue.string) ?? nil,
        ]
      }
      return [
        "name": .string(device.name), "path": .string(device.path), "default": .bool(isDefault),
        "motors": device.features.hasRumble ? ["strong", "weak"] : .array([]),
        "waveforms": .array(device.features.waveforms.map { .string($0.rawValue) }),
        "gain": .bool(device.features.hasGain), "slots": slots, "gamepad": .bool(device.isGamepad),
        "bus": .string(device.identity.bus), "vendor": .string(device.identity.vendor),
        "product": .string(device.identity.product), "uniq": .string(device.identity.unique),
        "phys": .string(device.physicalPath), "obstacle": obstacle,
      ]
    }
  }
}
