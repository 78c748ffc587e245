/// The image formats of travel documents, detected from the first bytes of a file.
public enum ImageFormat: String, Sendable, Hashable, Codable {
  case jpeg = "JPEG"
  case jpeg2000 = "JPEG 2000"
  case png = "PNG"
  /// Wavelet Scalar Quantization, for fingers.
  case wsq = "WSQ"
  case unknown

  public init(_ data: some Collection<UInt8>) {
    let signatures: [(ImageFormat, [UInt8])] = [
      (.jpeg, [0xFF, 0xD8, 0xFF]),
      // A JP2 file begins with the signature box, a bare codestream with SOC and SIZ.
      (.jpeg2000, JPEG2000File.signature),
      (.jpeg2000, JPEG2000File.codestreamStart),
      (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
      (.wsq, [0xFF, 0xA0]),
    ]
    self = signatures.first { data.starts(with: $0.1) }?.0 ?? .unknown
  }

  /// The usual file name extension.
  public var fileExtension: String {
    switch self {
    case .jpeg: "jpg"
    case .jpeg2000: "jp2"
    case .png: "png"
    case .wsq: "wsq"
    case .unknown: "bin"
    }
  }
}

/// The size of an image in pixels.
public struct ImageSize: Sendable, Hashable, Codable, CustomStringConvertible {
  public let width: Int
  public let height: Int

  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  public var description: String { "\(width) x \(height)" }
}
