import TesseraCore
import TesseraPassport

/// The reason why an image of a document cannot be decoded. The original image file is still available.
public enum PictureError: Error, Sendable, Equatable {
  /// The header cannot be read.
  case unreadable(ImageHeader.Problem)
  /// The image has more pixels than the limit.
  case tooLarge(ImageSize)
  /// The image is divided into more tiles, packets or code blocks than the limit.
  case tooComplex
  case unsupported(String)
  case undecodable(ImageFormat)
  case unencodable
}

extension PictureError: FailureConvertible {
  public var failure: Failure {
    switch self {
    case .unreadable(let problem): Self.failure("The image \(problem).")
    case .tooLarge(let size): Self.failure("The image has \(size) pixels, more than the limit for a document.")
    case .tooComplex: Self.failure("The image is divided into more parts than the limit for a document.")
    case .unsupported(let kind): Self.failure("The image is \(kind), which Tessera does not support.")
    case .undecodable(let format): Self.failure("The image is damaged: its \(format.rawValue) data cannot be decoded.")
    case .unencodable:
      Failure(.internalError, "The picture could not be encoded as PNG.", remedy: "Report this defect.")
    }
  }

  private static func failure(_ cause: String) -> Failure {
    Failure(
      .protocolViolation, cause,
      remedy: "Save the image in its original format.")
  }
}

extension PictureError {
  /// What a user who chose the file can do.
  package var remedyForFile: String {
    switch self {
    case .unreadable(.unknownFormat), .unreadable(.unsupported), .unsupported, .tooComplex, .unencodable:
      "Convert it to JPEG or PNG."
    case .tooLarge: "Reduce its size: a page needs no more than 4,000 pixels on a side."
    case .unreadable(.truncated), .unreadable(.malformed), .undecodable:
      "Use another copy of the file, or photograph the page again."
    }
  }
}
