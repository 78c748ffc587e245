import Glibc
import TesseraCamera
import TesseraCore
import TesseraUdev

/// Checks that this user may open each camera, that no other program uses it, and that it offers a format that Tessera
/// reads. Opening a camera briefly switches no lamp on and changes nothing.
struct CameraCheck: DiagnosticCheck {
  let title = "Cameras"

  func findings() async -> [Finding] {
    let cameras = CameraDevice.all()
    guard !cameras.isEmpty else { return [information("camera.none", "No camera is connected.")] }
    let devices = (try? Udev.devices(subsystem: "video4linux")) ?? []
    return cameras.map { camera in Self.finding(camera, devices.first { $0.node == camera.path }) }
  }

  private static func finding(_ camera: CameraDevice, _ device: UdevDevice?) -> Finding {
    let name = PrintableText.of(camera.card).prefix(60)
    let title = "Camera \(name.isEmpty ? camera.path[...] : name)"
    if let device, let access = NodeAccess(device, mode: R_OK | W_OK, rules: nil) {
      return inaccessible(
        title, access.cause, remedy: access.remedy, command: access.command, correction: access.correction)
    }
    do throws(CameraError) {
      try camera.probe()
      return Finding("camera", .ok, title: title, cause: "This user may open \(camera.path).")
    } catch {
      let failure = error.failure
      if case .accessDenied = error { return inaccessible(title, failure.cause, remedy: failure.remedy) }
      let (id, status, command): (String, Finding.Status, String?) =
        switch error {
        case .inUse: ("camera.busy", .information, RootCommand.line([.run("fuser -v \(Shell.word(camera.path))")]))
        case .noReadableFormat: ("camera.format", .information, nil)
        default: ("camera.failed", .problem, nil)
        }
      return Finding(id, status, title: title, cause: failure.cause, remedy: failure.remedy, command: command)
    }
  }

  /// A camera that this user may not open. Only the session at the screen gets it, so that this is a fact for any other.
  private static func inaccessible(
    _ title: String, _ cause: String, remedy: String?, command: String? = nil, correction: Correction? = nil
  ) -> Finding {
    guard !LocalSession.isActive else {
      return Finding(
        "camera.access", .problem, title: title, cause: cause, remedy: remedy, command: command,
        correction: correction)
    }
    var optional = correction
    optional?.isOptional = true
    return Finding(
      "camera.access", .information, title: title, cause: "\(cause) This user has no active session at this machine.",
      remedy: remedy ?? LocalSession.remedy, command: command, correction: optional)
  }
}
