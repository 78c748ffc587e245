import Failures

/// Why nothing can be felt. None of these reaches the bridge, where haptics are an extra.
public enum HapticError: Error, Sendable, Equatable {
  /// There is no force-feedback device.
  case noDevice
  /// The named one is not a force-feedback device, or is not there.
  case notADevice(path: String)
  case accessDenied(path: String)
  /// It was unplugged.
  case gone(path: String)
  /// Its forces are none of those that haptics are made of.
  case cannotRumble(path: String)
  /// There is a device, and it played nothing of the pattern, for these reasons (a sentence each).
  case nothingFelt([String])
  /// The kernel or its driver refused, for this reason.
  case failed(path: String, reason: String)
}

extension HapticError: ExplainedError {
  public var failure: Failure {
    switch self {
    case .noDevice:
      Failure(
        .noDevice, "There is no device that can rumble.",
        remedy: "Plug in a gamepad; `tessera haptic devices` shows what is found.")
    case .notADevice(let path):
      Failure(
        .noDevice, "\(PrintableText.of(path)) is not a force-feedback device that is plugged in.",
        remedy: "`tessera haptic devices` shows those that are.")
    case .accessDenied(let path):
      Failure(
        .noDevice, "This user may not open \(path).",
        remedy: "Log in at the machine itself, or run `tessera doctor`, which tells why and what can be done.",
        details: ["path": path])
    case .gone(let path):
      Failure(.noDevice, "\(path) is no longer there.", remedy: "Plug it in again.", details: ["path": path])
    case .cannotRumble(let path):
      Failure(
        .noDevice, "\(path) makes forces, but can neither rumble nor play a sine wave.",
        remedy: "Use another device; `tessera haptic devices` shows them.", details: ["path": path])
    case .nothingFelt(let reasons):
      Failure(
        .noDevice, (["Nothing was felt."] + reasons).joined(separator: " "),
        remedy: "Try again, or use another device; `tessera haptic devices` shows them.")
    case .failed(let path, let reason):
      Failure(
        .noDevice, "\(path) cannot be used: \(reason).", remedy: "Unplug it and plug it in again.",
        details: ["path": path])
    }
  }
}
