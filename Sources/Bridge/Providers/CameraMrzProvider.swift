/// Finds a machine readable zone in front of a camera.
public protocol CameraMrzProvider: Sendable {
  func isAvailable() async -> Bool

  /// Looks until a zone is found; cancelling the task ends that.
  ///
  /// - Parameter onProgress: what is seen; may be called for every picture, in order.
  /// - Returns: the JSON text of an object with the zone's fields (`MrzFields` gives one).
  /// - Throws: `CameraMrzError` where the camera is the reason; any other error is a scan that failed.
  func scanMrz(
    _ request: CameraMrzRequest, onProgress: @escaping @Sendable (MrzDetectionState) -> Void
  ) async throws -> String

  /// Is called when nobody waits for the scan any more (its task has been cancelled), and when a page leaves its
  /// viewfinder. No other scan begins before the return.
  func stopCamera() async
}

/// What a page may say about what is to be looked for. All of it is a hint.
public struct CameraMrzRequest: Sendable, Equatable {
  /// In pixels of the screen, relative to the page's view.
  public struct Rectangle: Sendable, Equatable {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double
  }

  public var documentType: String?
  public var countryCode: String?
  /// Where the page shows its frame.
  public var scanRect: Rectangle?

  public init(documentType: String? = nil, countryCode: String? = nil, scanRect: Rectangle? = nil) {
    self.documentType = documentType
    self.countryCode = countryCode
    self.scanRect = scanRect
  }
}

/// Why a camera does not look.
public enum CameraMrzError: Error, Sendable, Equatable {
  /// It is not there, is in use, or does not start.
  case cannotStart
  /// The user or the system does not let it be used.
  case permissionDenied
}

/// What a picture shows, from nothing to a whole zone. The numbers are those that the native sides use among themselves.
public enum MrzDetectionState: Int, Sendable, CaseIterable {
  case noText
  case textDetected
  case oneMrzLine
  case twoMrzLines

  /// What the page is told.
  public var word: String {
    switch self {
    case .noText: "no_text"
    case .textDetected: "text_detected"
    case .oneMrzLine: "one_mrz_line"
    case .twoMrzLines: "mrz_detected"
    }
  }
}
