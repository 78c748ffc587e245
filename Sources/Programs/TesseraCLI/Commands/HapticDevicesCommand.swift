import ArgumentParser
import Tessera
import TesseraCommandLine

extension HapticCommand {
  struct Devices: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "devices",
      abstract: "Lists the force-feedback devices and their problems.",
      discussion: """
        The default device is the one used last, else a gamepad, else the one connected first.

        Examples:
          tessera haptic devices
          tessera haptic devices --json
        """)

    @Flag(help: "Print one JSON object.") var json = false

    @Flag(help: "Fail with exit status 3 if no device can be used.") var require = false

    func run() async throws {
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
      var error = HapticError.noDevice
      if case .failure(let first)? = found.first?.1 { error = first }
      if found.isEmpty || require { Note.write(Self.message(error)) }
      if require { throw ExitCode(error.failure.kind.exitStatus) }
    }

    /// The error without the hint to run this very command.
    private static func message(_ error: HapticError) -> String {
      if case .accessDenied = error { return ErrorOutput.message(error) }
      return error.failure.description
    }

    private static func lines(
      _ device: RumbleDevice, _ access: Result<Int, HapticError>, isDefault: Bool
    ) -> String {
      let head = "\(device.path): \(Terminal.printable(device.name))\(isDefault ? " (default)" : "")"
      switch access {
      case .success(let slots):
        let facts = [
          device.motors.description, "\(slots) slots", device.features.hasGain ? "gain" : nil,
          device.isGamepad ? "gamepad" : nil,
        ]
        return "\(head)\n  \(facts.compactMap(\.self).joined(separator: ", "))"
      case .failure(let error): return "\(head)\n  \(message(error))"
      }
    }

    private static func motors(_ motors: RumbleMotors) -> JSONValue {
      switch motors {
      case .two, .twoWeakOnOff: ["strong", "weak"]
      case .one, .oneOnOff: ["one"]
      case .waves: .array([])
      }
    }

    private static func object(
      _ device: RumbleDevice, _ access: Result<Int, HapticError>, isDefault: Bool
    ) -> JSONValue {
      let slots: JSONValue = (try? access.get()).map { .integer(Int64($0)) } ?? nil
      var problem: JSONValue = nil
      if case .failure(let error) = access {
        problem = [
          "cause": .string(error.failure.cause), "remedy": error.failure.remedy.map(JSONValue.string) ?? nil,
        ]
      }
      return [
        "name": .string(device.name), "path": .string(device.path), "default": .bool(isDefault),
        "motors": motors(device.motors),
        "waveforms": .array(device.features.waveforms.map { .string($0.rawValue) }),
        "gain": .bool(device.features.hasGain), "slots": slots, "gamepad": .bool(device.isGamepad),
        "bus": .string(device.identity.bus), "vendor": .string(device.identity.vendor),
        "product": .string(device.identity.product), "uniq": .string(device.identity.unique),
        "phys": .string(device.physicalPath), "obstacle": problem,
      ]
    }
  }
}
