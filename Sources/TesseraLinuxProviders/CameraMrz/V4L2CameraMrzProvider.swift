public import TesseraBridge
import TesseraCamera
import TesseraCore
import TesseraMRZRecognition
import TesseraThreads

/// The camera provider that uses the kernel's video capture devices (V4L2).
///
/// The hints of a request do not restrict what is read: a zone says itself what kind of document it is.
public struct V4L2CameraMrzProvider: CameraMrzProvider {
  private let camera: String?
  private let list = BlockingWork(name: "camera-list")

  /// The longest scan. Pages give up after 30 seconds; this bounds how long a page that does not tell keeps the camera.
  static let timeLimit = Duration.seconds(60)

  /// - Parameter camera: the node of the camera; nil for the first one that can be used.
  public init(camera: String? = nil) { self.camera = camera }

  /// Whether a camera is connected. Whether it is free and permitted shows when it is opened.
  public func isAvailable() async -> Bool {
    let camera = camera
    return (try? await list.run { try camera.map { [try CameraDevice(path: $0)] } ?? CameraDevice.all() })?.isEmpty
      == false
  }

  public func scanMrz(
    _ request: CameraMrzRequest, onProgress: @escaping @Sendable (MrzDetectionState) -> Void
  ) async throws -> JSONObject {
    let viewfinder = CameraViewfinder.current
    let scan = CameraMRZScan(camera: camera, timeout: Self.timeLimit)
    let task = Task {
      try await scan.zone { frame, reading in
        viewfinder?.show(frame, reading)
        onProgress(MrzDetectionState(reading.state))
      }
    }
    await viewfinder?.begin(request) { task.cancel() }
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    await viewfinder?.end()
    do {
      return Self.fields(of: try result.get())
    } catch {
      throw Self.translated(error)
    }
  }

  /// The task of the scan was cancelled, which closes the camera.
  public func stopCamera() async {}

  /// The fields by the names of the protocol. The French identity card of 1988 to 2021 has no date of expiry.
  static func fields(of zone: RecognizedZone) -> JSONObject {
    var fields = MrzFields.json(zone.lines)
    guard let document = zone.zone else { return fields }
    // The protocol's own rules cover lines of 44 and 30 characters, and document numbers of nine.
    if fields["documentNumber"] == nil {
      fields["documentType"] = .string(document.documentCode)
      fields["issuingState"] = .string(document.issuingState)
      fields["nationality"] = .string(document.nationality)
      fields["dateOfBirth"] = .string(document.dateOfBirth)
      fields["gender"] = .string(MrzFields.withoutFillers(document.sex))
      fields["dateOfExpiry"] = .string(document.dateOfExpiry)
      fields["surname"] = .string(document.primaryIdentifier)
      fields["givenNames"] = .string(document.secondaryIdentifier)
    }
    fields["documentNumber"] = .string(MrzFields.withoutFillers(document.documentNumber))
    return fields
  }

  private static func translated(_ error: any Error) -> any Error {
    switch error {
    case CameraError.accessDenied: CameraMrzError.permissionDenied
    case CameraError.inUse: BridgeError("CAMERA_BUSY", "Another program or page is using the camera.")
    case CameraError.none, CameraError.missing, CameraError.notACamera, CameraError.noReadableFormat:
      CameraMrzError.cannotStart
    default: error
    }
  }
}

extension MrzDetectionState {
  init(_ state: MRZReading.State) {
    self =
      switch state {
      case .noText: .noText
      case .text: .textDetected
      case .oneLine: .oneMrzLine
      case .zone: .twoMrzLines
      }
  }
}
