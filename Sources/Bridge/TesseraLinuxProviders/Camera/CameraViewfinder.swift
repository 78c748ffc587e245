public import TesseraBridge
import TesseraCamera
import TesseraCore
public import TesseraMRZRecognition
public import TesseraPictures

/// Shows the camera's picture to the user while a page scans. Web content never receives the picture.
public protocol CameraViewfinding: Sendable {
  /// A scan begins.
  ///
  /// - Parameters:
  ///   - request: the hints of the page, with the rectangle that it keeps free for the picture.
  ///   - cancel: ends the scan; the page receives an error that says so.
  func begin(_ request: CameraMrzRequest, cancel: @escaping @Sendable () -> Void) async

  /// Shows a frame and the lines that were found in it. Called on the scan's thread; returns at once.
  func show(_ frame: GrayPicture, _ reading: MRZReading)

  /// Shows a frame of a scan for a seal. Called on the scan's thread; returns at once.
  ///
  /// - Parameter sight: what the frame shows: the corners of symbols and lines, and what the user should do.
  func show(_ frame: GrayPicture, _ sight: SealSight)

  func end() async
}

extension CameraViewfinding {
  /// Shows nothing.
  public func show(_ frame: GrayPicture, _ sight: SealSight) {}
}

/// The viewfinder of the window that a request comes from.
public enum CameraViewfinder {
  /// Set while a window routes the requests of its page. nil where there is no window: the scan has no picture then.
  @TaskLocal public static var current: (any CameraViewfinding)?

  /// Runs a scan while the viewfinder shows its frames.
  ///
  /// - Parameters:
  ///   - request: the hints of the page.
  ///   - scan: receives the viewfinder.
  /// - Throws: what the scan throws, in the terms of a provider.
  static func scanning<Result: Sendable>(
    _ request: CameraMrzRequest, _ scan: @escaping @Sendable ((any CameraViewfinding)?) async throws -> Result
  ) async throws -> Result {
    let viewfinder = current
    let task = Task { try await scan(viewfinder) }
    await viewfinder?.begin(request) { task.cancel() }
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    await viewfinder?.end()
    do {
      return try result.get()
    } catch {
      throw translated(error)
    }
  }

  private static func translated(_ error: any Error) -> any Error {
    switch error {
    case CameraError.accessDenied: CameraMrzError.permissionDenied(cause: Failure(error))
    case CameraError.inUse: BridgeError("CAMERA_BUSY", "Another program or page is using the camera.")
    case CameraError.none: CameraMrzError.notConnected(cause: Failure(error))
    case CameraError.missing, CameraError.notACamera, CameraError.noReadableFormat:
      CameraMrzError.cannotStart(cause: Failure(error))
    // The other calls precede the first picture.
    case CameraError.failed(_, let call, _) where !["VIDIOC_DQBUF", "VIDIOC_QBUF", "poll"].contains(call):
      CameraMrzError.cannotStart(cause: Failure(error))
    default: error
    }
  }
}
