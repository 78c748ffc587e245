public import TesseraCore

/// A matrix or stacked symbol that was read in a picture. Its error correction succeeded, so the bytes are those that
/// were printed; who printed them is another question.
public struct Barcode: Sendable, Equatable {
  /// The kinds of symbols that travel documents carry (Doc 9303-13).
  public enum Format: String, Sendable, CaseIterable {
    /// Aztec Code (ISO/IEC 24778).
    case aztec = "Aztec"
    /// DataMatrix with ECC 200 (ISO/IEC 16022).
    case dataMatrix = "DataMatrix"
    /// PDF417 (ISO/IEC 15438).
    case pdf417 = "PDF417"
    /// QR Code (ISO/IEC 18004).
    case qrCode = "QRCode"
  }

  /// A point of the picture, in pixels: x to the right, y down. It is inside the picture.
  public struct Corner: Sendable, Equatable {
    /// The distance from the left edge.
    public let x: Int
    /// The distance from the upper edge.
    public let y: Int

    /// A point of a picture.
    public init(x: Int, y: Int) {
      self.x = x
      self.y = y
    }
  }

  /// The kind of the symbol.
  public let format: Format
  /// The content, without a conversion of character sets; at most 8,192 bytes. Personal data.
  public let bytes: [UInt8]
  /// Whether all bytes are characters of a text, by the modes of the symbol.
  public let isText: Bool
  /// Four corners: top left, top right, bottom right and bottom left in the symbol's own orientation.
  public let corners: [Corner]

  /// A symbol as a reader describes it.
  public init(format: Format, bytes: [UInt8], isText: Bool, corners: [Corner]) {
    self.format = format
    self.bytes = bytes
    self.isText = isText
    self.corners = corners
  }

  /// What the bytes are.
  public var content: BarcodeContent { BarcodeContent(bytes) }
}

extension Barcode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Without the content.
  public var description: String { "\(format.rawValue), <redacted>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// The reason why the symbols of a picture cannot be read. A picture without a symbol is no error.
public enum BarcodeError: Error, Sendable, Equatable {
  /// This machine has no libzxing, or a version that Tessera does not use.
  case missingLibrary
  /// libzxing failed: it crashed, or took more memory than it may.
  case failed
  /// The search was given up for its time, and nothing was found until then.
  case tookTooLong
  /// The process in which libzxing runs could not be made, or its limits could not be set.
  case noProcess
  /// The picture shows one of several symbols that have the content together (structured append), and no other symbol.
  case partOfSeveral
}

extension BarcodeError: LocalizedFailure {
  /// The error in words, without any content of the barcode.
  public var failure: Failure {
    switch self {
    case .missingLibrary:
      Failure(
        .serviceUnavailable,
        "The library libzxing, which reads barcodes, is missing or has a version that is not used.",
        remedy: "Install it: sudo apt install libzxing2 (Debian 12) or libzxing3 (Debian 13).")
    case .failed:
      Failure(
        .internalError, "The library libzxing failed when it examined the picture.",
        remedy: "Cut the picture to the barcode and its white margin. If that fails, too, update libzxing.")
    case .tookTooLong:
      Failure(
        .usage,
        "The search for barcodes was given up after some seconds: the picture shows too much that looks like one.",
        remedy: "Cut the picture to the barcode and its white margin, or use a smaller one.")
    case .noProcess:
      Failure(
        .serviceUnavailable, "The process in which libzxing runs could not be started.",
        remedy:
          "Close other programs, or raise the limits of processes (ulimit -u) and of open files (ulimit -n). /proc must "
          + "be mounted.")
    case .partOfSeveral:
      Failure(
        .usage, "The barcode is one of several that have their content together, which Tessera does not join.",
        remedy: "Read the seal from a file with its bytes.")
    }
  }
}
