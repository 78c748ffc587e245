import Failures
import Passport

/// Why an image of a document cannot be shown. The image itself can be had as it came.
public enum PictureError: Error, Sendable, Equatable {
  /// Its header cannot be read.
  case unreadable(ImageHeader.Problem)
  /// It would take more memory than a picture in a document is worth.
  case tooLarge(ImageSize)
  /// It is cut into more parts than a picture in a document is.
  case tooComplex
  case unsupported(String)
  case undecodable(ImageFormat)
  case unencodable
}

extension PictureError: ExplainedError {
  public var failure: Failure {
    switch self {
    case .unreadable(let problem): Self.failure("The image \(problem).")
    case .tooLarge(let size): Self.failure("The image states \(size) pixels, more than a document holds.")
    case .tooComplex: Self.failure("The image is cut into more parts than one in a document is.")
    case .unsupported(let kind): Self.failure("The image is \(kind), which this version of Tessera does not show.")
    case .undecodable(let format): Self.failure("The image is damaged: its \(format.rawValue) data cannot be decoded.")
    case .unencodable: Failure(.internalError, "The picture could not be written as PNG.", remedy: "Please report it.")
    }
  }

  private static func failure(_ cause: String) -> Failure {
    Failure(
      .protocolViolation, cause,
      remedy: "Give --portrait a file name that does not end in .png to have the image as it came.")
  }
}
