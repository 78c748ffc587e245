public import TesseraBarcodes
public import TesseraBridge
public import TesseraMRZRecognition

/// What the frames of a scan for a seal show at a moment.
public struct SealSight: Sendable {
  /// What the scan has found so far.
  public let state: SealDetectionState
  /// The barcode that is not a seal, if the frame shows one.
  public let other: BarcodeContent?
  /// The corners of each symbol and of each line of a zone, in pixels of the frame.
  public let outlines: [[Point]]

  /// What frames show, for whoever draws them.
  public init(_ state: SealDetectionState, other: BarcodeContent? = nil, outlines: [[Point]] = []) {
    self.state = state
    self.other = other
    self.outlines = outlines
  }

  /// What the user should do next, in English.
  public var advice: String {
    switch state {
    case .noBarcode: "Hold the barcode of the document in front of the camera ..."
    case .zone: "Zone found: move the barcode into the picture, too ..."
    case .otherBarcode:
      if let other, !other.isSeal {
        "This is \(other.name), not a seal: show the barcode of a travel document ..."
      } else {
        "This barcode begins like a seal and cannot be read as one: hold it flat and still ..."
      }
    case .seal: "Seal found: hold the document still ..."
    }
  }
}
