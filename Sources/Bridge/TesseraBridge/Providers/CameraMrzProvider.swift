/// Reads machine readable zones with a camera.
public protocol CameraMrzProvider: Sendable {
  /// Whether a camera is present and may be used.
  func isAvailable() async -> Bool

  /// Scans until a zone is found. Cancelling the task ends the scan.
  ///
  /// - Parameters:
  ///   - request: hints about the document and the picture.
  ///   - onProgress: receives the state of each picture, in order. The bridge drops states that repeat.
  /// - Returns: the fields of the zone by the names of the protocol, as `MrzFields` returns them. The page receives
  ///   further members unchanged.
  /// - Throws: `CameraMrzError` if the camera is not usable; `BridgeError` for a specific code; any other error fails
  ///   the scan.
  func scanMrz(
    _ request: CameraMrzRequest, onProgress: @escaping @Sendable (MrzDetectionState) -> Void
  ) async throws -> JSONObject

  /// Stops the scan after it was answered; its task is already cancelled. No other scan begins before the return.
  func stopCamera() async
}

/// The hints that a page gives for a scan.
public struct CameraMrzRequest: Sendable, Equatable {
  /// A rectangle in screen pixels, relative to the viewport of the page.
  public struct Rectangle: Sendable, Equatable {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double
  }

  public var documentType: String?
  public var countryCode: String?
  /// The frame that the page shows.
  public var scanRect: Rectangle?

  public init(documentType: String? = nil, countryCode: String? = nil, scanRect: Rectangle? = nil) {
    self.documentType = documentType
    self.countryCode = countryCode
    self.scanRect = scanRect
  }
}

/// The reasons why a camera cannot be used.
///
/// The cause is for local programs; web content does not learn it.
public enum CameraMrzError: Error, Sendable, Equatable {
  /// The camera is missing, in use, or does not start.
  case cannotStart(cause: Failure? = nil)
  /// There is no camera, which `camera.isAvailable` tells a page, too.
  case notConnected(cause: Failure? = nil)
  /// The user or the system denied the use of the camera.
  case permissionDenied(cause: Failure? = nil)
}

/// The part of a machine readable zone that a picture shows. The raw values are those of the Kotlin and Swift SDKs.
public enum MrzDetectionState: Int, Sendable, CaseIterable {
  case noText
  case textDetected
  case oneMrzLine
  case twoMrzLines

  /// The `state` of the `scanProgress` event.
  package var name: String {
    switch self {
    case .noText: "no_text"
    case .textDetected: "text_detected"
    case .oneMrzLine: "one_mrz_line"
    case .twoMrzLines: "mrz_detected"
    }
  }
}
