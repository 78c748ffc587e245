import TesseraCore
public import TesseraPassport

/// A decoded image, upright: eight bits each of red, green and blue per pixel, row by row from the top.
public struct Picture: Sendable, Equatable {
  public let size: ImageSize
  /// Three bytes a pixel.
  public let pixels: [UInt8]
  /// Whether the data were damaged or truncated, so that some pixels are estimated.
  public let isDamaged: Bool

  init(size: ImageSize, pixels: [UInt8], isDamaged: Bool) {
    self.size = size
    self.pixels = pixels
    self.isDamaged = isDamaged
  }

  /// The size of a page at 300 dots per inch.
  static let maximumPixels = 10_000_000
  static let longestSide = 8192

  /// Decodes a JPEG, a PNG, or a JPEG 2000 file or codestream, and turns it upright. Checks sizes and structure before
  /// it allocates memory.
  ///
  /// - Throws: `PictureError`.
  public init(decoding data: [UInt8]) throws(PictureError) {
    let file = try ImageFile(data, mostPixels: Self.maximumPixels)
    var pixels = [UInt8](repeating: 0, count: file.size.width * file.size.height * PixelLayout.rgb.bytes)
    do {
      isDamaged = try pixels.withUnsafeMutableBufferPointer { try file.decode(.rgb, into: $0) }
    } catch let error as PictureError {
      throw error
    } catch {
      throw .undecodable(file.format)
    }
    size = file.size
    self.pixels = pixels
  }
}

extension Picture {
  /// A JPEG file whose pixels lie upright and which every browser shows, without EXIF; nil for other files.
  package static func upright(jpeg data: [UInt8]) -> [UInt8]? {
    guard ImageFormat(data) == .jpeg, let file = try? JPEGFile(data[...]), file.frame.isUsual,
      ImageOrientation(exif: file.exif) == .upright
    else { return nil }
    return try? JPEGFile.withoutEXIF(data)
  }
}

extension Picture {
  /// The picture as a PNG file.
  ///
  /// - Throws: `PictureError.unencodable`.
  public func png() throws(PictureError) -> [UInt8] {
    guard let file = pixels.withUnsafeBufferPointer({ PNGEncoder.file($0, size, .rgb) }) else { throw .unencodable }
    return file
  }
}

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

extension PictureError: LocalizedFailure {
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
