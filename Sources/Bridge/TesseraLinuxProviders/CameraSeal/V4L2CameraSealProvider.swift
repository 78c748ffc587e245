public import TesseraBridge
import TesseraCore
import TesseraReportPage
import TesseraThreads

/// The provider of seals that uses the kernel's video capture devices (V4L2), and libzxing.
public struct V4L2CameraSealProvider: CameraSealProvider {
  private let scan: CameraSealScan
  private let trust: TrustMaterialSource

  /// - Parameters:
  ///   - camera: the node of the camera; nil for the first one that can be used.
  ///   - trust: what is known of countries; by default what the user imported.
  public init(camera: String? = nil, trust: TrustMaterialSource = .imported) {
    self.init(CameraSealScan(camera: camera, timeout: V4L2CameraMrzProvider.timeLimit), trust: trust)
  }

  init(_ scan: CameraSealScan, trust: TrustMaterialSource) {
    self.scan = scan
    self.trust = trust
  }

  /// Scans, and judges the seal by what is known of countries. Checks libzxing and loads the certificates first.
  public func scanSeal(
    _ request: CameraMrzRequest, onProgress: @escaping @Sendable (SealDetectionState) -> Void
  ) async throws -> JSONObject {
    // Before the scan: the verdict follows at once, and nobody holds a document in vain. First what may be missing at all.
    let material = try await BlockingWork(name: "seal-trust").run { [prepare = scan.parts.prepare, trust] in
      try prepare()
      return try trust.material()
    }
    let scanned = try await CameraViewfinder.scanning(request) { [scan] viewfinder in
      try await scan.seal { frame, sight in
        viewfinder?.show(frame, sight)
        onProgress(sight.state)
      }
    }
    let report = try scanned.report(trust: material)
    guard case .object(var members) = report.json else { return [:] }
    let page = SealPage([report], software: "tessera \(TesseraVersion.current)")
    members["reportPage"] = .string(page.html())
    return members
  }
}
