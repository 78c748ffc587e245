import TesseraCamera
import TesseraThreads

/// Where the frames of a scan come from.
protocol FrameSource: Sendable {
  /// The next frame. Tasks that wait at the same time receive the same one, with the same number; the source numbers its
  /// frames in the order in which they were taken.
  func nextNumberedFrame() async throws -> NumberedFrame

  /// Ends the waits of all tasks. When it returns, another program can use the camera.
  func close() async
}

extension CameraCapture: FrameSource {
  /// Opens a camera.
  ///
  /// - Parameter path: its node; nil for the first one that can be used.
  /// - Throws: `CameraError`.
  static func open(path: String?) async throws -> CameraCapture {
    let work = BlockingWork(name: "camera-list")
    if let path { return try await open(try await work.run { try CameraDevice(path: path) }) }
    var first: CameraError?
    for device in try await work.run({ CameraDevice.all() }) {
      do throws(CameraError) {
        return try await open(device)
      } catch {
        if error == .cancelled { throw error }
        // Another camera may be free.
        if first == nil { first = error }
      }
    }
    throw first ?? .none
  }
}

/// Runs a scan until its time limit.
///
/// - Parameters:
///   - timeout: nil for no limit.
///   - clock: measures it.
///   - scan: ends soon after its task was cancelled.
///   - late: the result of a scan that the limit ended, or its error.
/// - Throws: what `late` and `scan` throw; `CancellationError` if the calling task was cancelled.
func withScanLimit<Result: Sendable>(
  _ timeout: Duration?, clock: any MonotonicClock = ContinuousClock(),
  scan: @escaping @Sendable () async throws -> Result, late: () async throws -> Result
) async throws -> Result {
  do {
    // Also a camera that does not answer ends here; its thread closes it when the kernel's call returns.
    return try await withTimeLimit(timeout, gracePeriod: .milliseconds(500), clock: clock, scan)
  } catch is TimeLimitExceeded {
  } catch CameraError.cancelled {
    // At the time limit the scan is cancelled too, and usually ends at once.
    try Task.checkCancellation()
  } catch is CancellationError {
    try Task.checkCancellation()
  }
  return try await late()
}
