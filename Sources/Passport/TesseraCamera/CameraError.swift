import Glibc
import TesseraCore

/// The reason why a camera does not deliver pictures.
public enum CameraError: Error, Sendable, Equatable {
  /// No camera is connected.
  case none
  /// The node does not exist.
  case missing(path: String)
  /// The path is not the node of a device that captures video by streaming.
  case notACamera(path: String)
  /// This user may not open the node.
  case accessDenied(path: String)
  /// Another program uses the camera (EBUSY).
  case inUse(path: String)
  /// The camera offers none of the formats that `FrameDecoder` reads.
  ///
  /// - Parameter offered: The four-character codes of the formats that it offers.
  case noReadableFormat(path: String, offered: [String])
  /// The camera was unplugged.
  case disconnected(path: String)
  /// The camera delivered no picture in this time.
  ///
  /// - Parameter damage: Why the last frame that did arrive could not be decoded; nil if none arrived.
  case noPicture(path: String, seconds: Int, damage: FrameError?)
  /// A call of the kernel failed.
  ///
  /// - Parameters:
  ///   - call: `open`, `mmap`, `poll`, or the name of the request: `VIDIOC_STREAMON`.
  ///   - code: The `errno`.
  case failed(path: String, call: String, code: Int32)
  /// The task that waited was cancelled, or the capture was closed.
  case cancelled
}

extension CameraError: LocalizedFailure {
  public var failure: Failure {
    switch self {
    case .none: Self.failure("No camera is connected.", "Connect a camera.", nil)
    case .missing(let path):
      Self.failure(
        "\(PrintableText.of(path)) does not exist.", "Connect the camera, or specify the node of another one.", path)
    case .notACamera(let path):
      Failure(
        .usage, "\(PrintableText.of(path)) is not a camera.",
        remedy: "Specify the node of a camera, such as /dev/video0.", details: ["path": path])
    case .accessDenied(let path):
      Self.failure(
        "This user may not open the camera \(PrintableText.of(path)).",
        "Log in at this computer's own screen, or run `sudo usermod -aG video $USER` and log in again.", path)
    case .inUse(let path):
      Self.failure(
        "Another program uses the camera \(PrintableText.of(path)).",
        "Close that program; `fuser -v \(Self.shellWord(path))` names it.", path)
    case .noReadableFormat(let path, let offered):
      Self.failure(
        "The camera \(PrintableText.of(path)) offers no format that Tessera reads (it offers \(Self.list(offered))).",
        "Use another camera.", path)
    case .disconnected(let path):
      Self.failure("The camera \(PrintableText.of(path)) was unplugged.", "Connect it again.", path)
    case .noPicture(let path, let seconds, let damage):
      Self.failure(
        "The camera \(PrintableText.of(path)) delivered no \(damage == nil ? "" : "readable ")picture in "
          + "\(seconds) seconds" + (damage.map { " (the last one \($0.cause))." } ?? "."),
        "Open the camera's cover, or disconnect the camera and connect it again.", path)
    case .failed(let path, let call, let code):
      Self.failed(path, call, code)
    case .cancelled: Failure(CancellationError())
    }
  }

  private static func failed(_ path: String, _ call: String, _ code: Int32) -> Failure {
    let reason = String(cString: strerror(code)).lowercased()
    var failure = failure(
      "The camera \(PrintableText.of(path)) failed: \(call): \(reason).",
      // uvcvideo answers VIDIOC_STREAMON so when the bus has too little bandwidth left.
      code == ENOSPC
        ? "Connect the camera to another USB port, without a hub."
        : "Disconnect the camera and connect it again.",
      path)
    failure.details["call"] = call
    failure.details["errno"] = String(code)
    return failure
  }

  private static func failure(_ cause: String, _ remedy: String, _ path: String?) -> Failure {
    Failure(.serviceUnavailable, cause, remedy: remedy, details: path.map { ["path": $0] } ?? [:])
  }

  private static func list(_ formats: [String]) -> String {
    formats.isEmpty ? "none" : formats.prefix(12).map { PrintableText.of($0) }.joined(separator: ", ")
  }

  /// The path as a word of a POSIX shell.
  private static func shellWord(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || UInt8(ascii: "-")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "_")
    }
    return isPlain
      ? path
      : "'"
        + PrintableText.of(path).split(separator: "'", omittingEmptySubsequences: false)
        .joined(separator: "'\\''") + "'"
  }
}
