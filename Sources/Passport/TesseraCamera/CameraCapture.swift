import Glibc
public import TesseraPictures
import TesseraThreads

/// A camera that streams pictures, on a dedicated thread.
///
/// Frames exist in memory only: the driver's buffers, which are unmapped at the end, and the pictures, which are
/// overwritten when they are released.
public final class CameraCapture: Sendable {
  public let device: CameraDevice
  /// The format of the camera's frames.
  public let format: FrameFormat
  private let mailbox: CaptureMailbox
  private let patience: Duration

  /// Opens the camera, chooses its format and starts its stream.
  ///
  /// - Parameters:
  ///   - device: The camera.
  ///   - patience: How long `nextFrame` waits for a picture.
  /// - Throws: `CameraError`. After `.cancelled` the camera is closed as soon as the kernel's call returns.
  public static func open(
    _ device: CameraDevice, patience: Duration = .seconds(5)
  ) async throws(CameraError) -> CameraCapture {
    try await open(device, only: nil, patience: patience)
  }

  /// - Parameter format: The only format to consider; nil for all.
  package static func open(
    _ device: CameraDevice, only format: PixelFormat?, patience: Duration = .seconds(5)
  ) async throws(CameraError) -> CameraCapture {
    // Otherwise the camera would light its lamp for a scan that nobody wants any more.
    if Task.isCancelled { throw .cancelled }
    let mailbox = CaptureMailbox()
    guard mailbox.descriptor >= 0 else { throw .failed(path: device.path, call: "eventfd", code: EMFILE) }
    let opening = FirstResult<FrameFormat>()
    // The thread has no reference to the capture, which could otherwise never be released.
    let hasStarted = DetachedThread.start(name: "camera", waits: false) {
      run(device, format, mailbox, opening, patience)
      mailbox.threadEnded()
    }
    guard hasStarted else { throw .failed(path: device.path, call: "pthread_create", code: EAGAIN) }
    do {
      let format = try await withTaskCancellationHandler {
        try await opening.value
      } onCancel: {
        mailbox.end(.cancelled)
        opening.settle(.failure(CameraError.cancelled))
      }
      return CameraCapture(device, format, mailbox, patience)
    } catch let error as CameraError {
      // A failed camera is closed when this returns, so that it can be opened again at once.
      if error != .cancelled {
        await mailbox.waitForEnd()
      } else {
        // The kernel's call under way may take seconds; the next scan should nevertheless find the camera free.
        let wait = Task { await mailbox.waitForEnd() }
        _ = await Task { try? await withTimeLimit(.seconds(2)) { await wait.value } }.value
      }
      throw error
    } catch {
      throw .cancelled
    }
  }

  private init(_ device: CameraDevice, _ format: FrameFormat, _ mailbox: CaptureMailbox, _ patience: Duration) {
    self.device = device
    self.format = format
    self.mailbox = mailbox
    self.patience = patience
  }

  deinit { mailbox.end(.cancelled) }

  /// The newest picture that was not returned before. Frames that arrive between two calls are dropped, except the last
  /// one.
  ///
  /// - Throws: `CameraError`. After `.noPicture` and `.cancelled` of one task, another call may succeed; after others
  ///   none does.
  public func nextFrame() async throws(CameraError) -> GrayPicture { try await nextNumberedFrame().picture }

  /// The same with its number, by which tasks that each take pictures can tell which one is newer.
  package func nextNumberedFrame() async throws(CameraError) -> NumberedFrame {
    let number = mailbox.number()
    let picture = await withTaskCancellationHandler {
      await mailbox.picture(number, until: .now + patience)
    } onCancel: {
      mailbox.cancel(number)
    }
    mailbox.forget(number)
    return try picture.get()
  }

  /// Stops the stream and closes the camera. Tasks that wait for a picture receive `CameraError.cancelled`. When this
  /// returns, another program can open the camera.
  public func close() async {
    mailbox.end(.cancelled)
    await mailbox.waitForEnd()
  }

  private static func run(
    _ device: CameraDevice, _ format: PixelFormat?, _ mailbox: CaptureMailbox, _ opening: FirstResult<FrameFormat>,
    _ patience: Duration
  ) {
    do throws(CameraError) {
      guard mailbox.isOpen else { throw .cancelled }
      let stream = try CameraStream(device, only: format)
      opening.settle(.success(stream.format))
      var loop = CaptureLoop(stream, mailbox, patience: patience)
      try loop.run()
    } catch {
      mailbox.end(error)
      opening.settle(.failure(error))
    }
  }
}
