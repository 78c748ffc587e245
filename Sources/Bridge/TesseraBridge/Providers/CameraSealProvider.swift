/// Reads signed barcodes of travel documents (seals) with a camera, and verifies them.
public protocol CameraSealProvider: Sendable {
  /// Scans until a picture shows a seal. Cancelling the task ends the scan and releases the camera.
  ///
  /// - Parameters:
  ///   - request: where the page keeps the place for the picture; the other hints do not matter.
  ///   - onProgress: receives the state of each picture, in order. The bridge drops states that repeat.
  /// - Returns: the report on the seal, with the members that `tessera seal verify --json` has. The page receives it
  ///   unchanged.
  /// - Throws: `CameraMrzError` if the camera is not usable; `BridgeError` for a specific code; any other error fails
  ///   the scan.
  func scanSeal(
    _ request: CameraMrzRequest, onProgress: @escaping @Sendable (SealDetectionState) -> Void
  ) async throws -> JSONObject
}

/// What a picture shows in a scan for a seal.
public enum SealDetectionState: Int, Sendable, CaseIterable {
  case noBarcode
  /// A machine readable zone, which the seal will be compared with; no barcode yet.
  case zone
  /// A barcode that is not a seal.
  case otherBarcode
  case seal

  /// The `state` of the `scanProgress` event.
  package var name: String {
    switch self {
    case .noBarcode: "no_barcode"
    case .zone: "mrz_detected"
    case .otherBarcode: "other_barcode"
    case .seal: "seal_detected"
    }
  }
}
