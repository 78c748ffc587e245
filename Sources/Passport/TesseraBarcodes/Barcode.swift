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
