import ArgumentParser
import Tessera

/// The camera that scans, and for how long.
struct CameraOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The camera's node, for example /dev/video0 (default: the first one that is free).", valueName: "path"))
  var camera: String?

  @Option(help: ArgumentHelp("How long to scan (default: 60).", valueName: "seconds"))
  var wait: Int?

  @Flag(help: "Do not show the camera's picture in the terminal.")
  var noPicture = false

  var isSpecified: Bool { camera != nil || wait != nil || noPicture }

  func validate() throws {
    if let wait, !(1...86_400).contains(wait) {
      throw ValidationError("--wait must be a number of seconds from 1 to 86400.")
    }
  }

  var scan: CameraMRZScan { CameraMRZScan(camera: camera, timeout: .seconds(wait ?? 60), endsInDoubt: true) }
}
