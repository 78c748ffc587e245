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
