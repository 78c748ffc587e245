import ArgumentParser
import Glibc
import Tessera
import TesseraCommandLine

/// A scan by the camera with a live picture on standard error, if that is a terminal.
struct CameraScan {
  let options: CameraOptions

  /// - Throws: `ExitCode` of a cancelled scan after Ctrl-C; otherwise as `CameraMRZScan`.
  func zone() async throws -> RecognizedZone {
    let scan = options.scan
    let view = CameraView(showsPicture: !options.noPicture)
    do {
      return try await Interruption.cancelling {
        defer { view.clear() }
        view.show(MRZReading.State.noText.advice)
        return try await scan.zone { frame, reading in view.show(frame, reading) }
      }
    } catch is CancellationError where Interruption.signalNumber == SIGINT {
      Note.write("The scan was cancelled.")
      throw ExitCode(8)
    }
  }
}
