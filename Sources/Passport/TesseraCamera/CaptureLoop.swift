import Glibc
import TesseraPictures

/// The loop of a capture's thread. It takes each frame from the driver as soon as it is there and keeps the newest one,
/// so that the queue never holds an old one, and decodes a frame only when a task waits for it.
struct CaptureLoop {
  private let stream: CameraStream
  private let mailbox: CaptureMailbox
  private let patience: Duration
  /// The newest frame, which no task has received.
  private var newest: CameraNode.Filled?
  private var damage: FrameError?
  private var temporaryErrors = 0

  /// EIO of VIDIOC_DQBUF may be temporary, such as a lost signal.
  private static let mostTemporaryErrors = 16

  init(_ stream: CameraStream, _ mailbox: CaptureMailbox, patience: Duration) {
    self.stream = stream
    self.mailbox = mailbox
    self.patience = patience
  }

  /// Runs until the mailbox is closed.
  ///
  /// - Throws: `CameraError` when the camera fails.
  mutating func run() throws(CameraError) {
    while mailbox.isOpen {
      if mailbox.deadline != nil { try answer() }
      try sleep()
    }
  }

  private mutating func answer() throws(CameraError) {
    if let frame = newest {
      newest = nil
      if frame.isMarkedAsDamaged {
        damage = .marked
      } else {
        do throws(FrameError) {
          mailbox.deliver(try FrameDecoder.picture(stream.format, stream.bytes(frame)))
          damage = nil
        } catch {
          damage = error
        }
      }
      try stream.requeue(frame)
    }
    mailbox.expire(
      .noPicture(path: stream.path, seconds: Int(patience.components.seconds), damage: damage))
  }

  private mutating func sleep() throws(CameraError) {
    var descriptors = [
      pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: stream.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let timeout = mailbox.deadline.map { deadline in
      Int32(min(max(0, (ContinuousClock.now.duration(to: deadline) / .milliseconds(1)).rounded(.up)), 60_000))
    }
    guard poll(&descriptors, nfds_t(descriptors.count), timeout ?? -1) >= 0 else {
      if errno == EINTR { return }
      throw stream.error("poll")
    }
    if descriptors[0].revents != 0 { mailbox.noteWakeUp() }
    let events = Int32(descriptors[1].revents)
    guard events != 0 else { return }
    if events & POLLHUP != 0 { throw .disconnected(path: stream.path) }
    if events & POLLNVAL != 0 { throw .failed(path: stream.path, call: "poll", code: EBADF) }
    // After POLLERR VIDIOC_DQBUF says what is wrong.
    let isEmpty = try takeAll()
    if isEmpty, events & POLLIN == 0 { throw .failed(path: stream.path, call: "poll", code: EIO) }
  }

  /// Takes all frames from the driver and keeps the last one.
  ///
  /// - Returns: Whether there was none.
  private mutating func takeAll() throws(CameraError) -> Bool {
    var isEmpty = true
    while true {
      let frame: CameraNode.Filled?
      do throws(CameraError) {
        frame = try stream.dequeue()
      } catch .failed(_, "VIDIOC_DQBUF", EIO) where temporaryErrors < Self.mostTemporaryErrors {
        temporaryErrors += 1
        return false
      }
      guard let frame else { return isEmpty }
      isEmpty = false
      temporaryErrors = 0
      if let older = newest { try stream.requeue(older) }
      newest = frame
      // The driver needs both, so without a task that waits the frame goes back.
      if !stream.hasSpareBuffer, mailbox.deadline == nil {
        newest = nil
        try stream.requeue(frame)
      }
    }
  }
}

/// The reason why a frame is not a picture. The next one may be: a camera on a busy bus loses parts of frames.
public enum FrameError: Error, Sendable, Equatable {
  /// `FrameDecoder` does not read this pixel format.
  case unsupportedFormat
  /// A side is 0, or longer than `GrayPicture.longestSide`.
  case impossibleSize
  /// A row is longer than the distance between two rows.
  case impossibleStride
  /// The end of the frame is missing.
  case truncated
  /// The JPEG image has another size than the format states.
  case otherSize
  /// The JPEG image cannot be decoded.
  case undecodable
  /// The driver marked the frame as damaged (`V4L2_BUF_FLAG_ERROR`).
  case marked

  /// What is wrong with the frame, as the end of a sentence about it.
  package var cause: String {
    switch self {
    case .unsupportedFormat: "has an unknown format"
    case .impossibleSize: "has an impossible size"
    case .impossibleStride: "has rows that overlap"
    case .truncated: "was incomplete"
    case .otherSize: "had another size than agreed"
    case .undecodable: "was damaged"
    case .marked: "was marked as damaged by the driver"
    }
  }
}
