import TesseraCore
internal import TesseraUdev

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The reason why a pattern cannot be played. The bridge does not report these errors, since haptics are optional
/// there.
public enum HapticError: Error, Sendable, Equatable {
  /// There is no force-feedback device.
  case noDevice
  /// The system does not list its devices.
  case devicesUnavailable
  /// The path is not a force-feedback device, or does not exist.
  case notADevice(path: String)
  case accessDenied(path: String)
  /// The device was unplugged.
  case disconnected(path: String)
  /// Nobody answered the device's first upload, so it is left out until it is connected again.
  case unserved(path: String)
  /// The device supports none of the required effects.
  case cannotRumble(path: String)
  /// The device played no effect of the pattern, for these reasons (one sentence each).
  case nothingFelt([String])
  /// The pattern ended before its end, for these reasons (one sentence each).
  case interrupted([String])
  /// The kernel or its driver refused access, for this reason.
  case failed(path: String, reason: String)
}

extension HapticError: FailureConvertible {
  public var failure: Failure {
    switch self {
    case .noDevice:
      Failure(.noDevice, "No force-feedback device is connected.", remedy: "Connect a gamepad.")
    case .devicesUnavailable: UdevError.unavailable.failure
    case .notADevice(let path):
      Failure(
        .noDevice, "\(PrintableText.of(path)) is not a connected force-feedback device.",
        remedy: "Specify the event node of a connected device.")
    case .accessDenied(let path):
      Failure(
        .noDevice, "This user may not open \(path).",
        remedy: "Log in locally, or install Tessera's udev rules.", details: ["path": path])
    case .disconnected(let path) where isNodeHidden(path):
      Failure(
        .noDevice, "The kernel has the device \(path), but there is no such node here.",
        remedy:
          "In a container or sandbox, share /dev/input with it (docker --device /dev/input, flatpak --device=input).",
        details: ["path": path])
    case .disconnected(let path):
      Failure(.noDevice, "\(path) no longer exists.", remedy: "Reconnect the device.", details: ["path": path])
    case .unserved(let path):
      Failure(
        .noDevice, "Nobody plays effects on \(path): the program that made this device did not answer for 30 seconds.",
        remedy: "End that program or start it again. Until the device is connected again, other devices are used.",
        details: ["path": path])
    case .cannotRumble(let path):
      Failure(
        .noDevice, "\(path) supports force feedback, but neither rumble nor sine waves.",
        remedy: "Use another device.", details: ["path": path])
    case .nothingFelt(let reasons):
      Failure(
        .noDevice, (["The device played nothing."] + reasons).joined(separator: " "),
        remedy: "Try again, or use another device.")
    case .interrupted(let reasons):
      Failure(.noDevice, reasons.joined(separator: " "), remedy: "Connect the device again and repeat the command.")
    case .failed(let path, let reason):
      Failure(
        .noDevice, "\(path) cannot be used: \(reason).", remedy: "Disconnect the device and connect it again.",
        details: ["path": path])
    }
  }
}

/// Whether the kernel has the device, and this process no node of it: in a container with `/sys` and without `/dev/input`.
private func isNodeHidden(_ path: String) -> Bool {
  guard let name = path.split(separator: "/").last, name.hasPrefix("event") else { return false }
  let files = FileManager.default
  return !files.fileExists(atPath: path) && files.fileExists(atPath: "/sys/class/input/\(name)")
}

/// For `localizedDescription`.
extension HapticError: LocalizedError {
  /// What happened.
  public var errorDescription: String? { failure.cause }
  /// What the user can do.
  public var recoverySuggestion: String? { failure.remedy }
}
