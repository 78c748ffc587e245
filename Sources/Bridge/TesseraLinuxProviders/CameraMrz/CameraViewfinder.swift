public import TesseraBridge
public import TesseraMRZRecognition
public import TesseraPictures

/// Shows the camera's picture to the person while a page scans. Web content never receives the picture.
public protocol CameraViewfinding: Sendable {
  /// A scan begins.
  ///
  /// - Parameters:
  ///   - request: the hints of the page, with the rectangle that it keeps free for the picture.
  ///   - cancel: ends the scan; the page receives `MRZ_SCAN_CANCELLED`.
  func begin(_ request: CameraMrzRequest, cancel: @escaping @Sendable () -> Void) async

  /// Shows a frame and the lines that were found in it. Called on the scan's thread; returns at once.
  func show(_ frame: GrayPicture, _ reading: MRZReading)

  func end() async
}

/// The viewfinder of the window that a request comes from.
public enum CameraViewfinder {
  /// Set while a window routes the requests of its page. nil where there is no window: the scan has no picture then.
  @TaskLocal public static var current: (any CameraViewfinding)?
}
