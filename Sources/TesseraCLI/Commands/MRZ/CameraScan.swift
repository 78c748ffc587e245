import Tessera

/// A scan by the camera with a live picture on standard error, if that is a terminal.
struct CameraScan {
  let options: CameraOptions

  func zone() async throws -> RecognizedZone {
    let scan = options.scan
    let view = CameraView(showsPicture: !options.noPicture)
    return try await Interruption.cancelling {
      defer { view.clear() }
      view.show(MRZReading.State.noText.advice)
      return try await scan.zone { frame, reading in view.show(frame, reading) }
    }
  }
}
