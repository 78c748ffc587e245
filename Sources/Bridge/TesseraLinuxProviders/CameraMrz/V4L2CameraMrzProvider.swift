import Glibc
public import TesseraBridge
import TesseraCamera
import TesseraMRZRecognition
import TesseraThreads

/// The camera provider that uses the kernel's video capture devices (V4L2).
///
/// The hints of a request do not restrict what is read: a zone says itself what kind of document it is.
public struct V4L2CameraMrzProvider: CameraMrzProvider {
  private let camera: String?
  /// The query for the cameras that is under way: while a camera does not answer, a page that asks again and again
  /// occupies one thread.
  private let query = Locked<Task<[String], Never>?>(nil)

  /// The longest scan. Pages give up after 30 seconds; this bounds how long a page that does not tell keeps the camera.
  static let timeLimit = Duration.seconds(60)
  private static let queryLimit = Duration.seconds(5)

  /// - Parameter camera: the node of the camera; nil for the first one that can be used.
  public init(camera: String? = nil) { self.camera = camera }

  /// Whether a camera is connected that this user may open. Whether it is free shows when it is opened.
  public func isAvailable() async -> Bool {
    let query = query.withLock { query in
      let task = query ?? Task { await list() }
      query = task
      return task
    }
    let paths = try? await withTimeLimit(Self.queryLimit) { await query.value }
    return paths?.contains { access($0, R_OK | W_OK) == 0 } ?? false
  }

  private func list() async -> [String] {
    let work = BlockingWork(name: "camera-list")
    let paths = try? await work.run { [camera] in
      try camera.map { [try CameraDevice(path: $0).path] } ?? CameraDevice.all().map(\.path)
    }
    query.withLock { $0 = nil }
    return paths ?? []
  }

  public func scanMrz(
    _ request: CameraMrzRequest, onProgress: @escaping @Sendable (MrzDetectionState) -> Void
  ) async throws -> JSONObject {
    let scan = CameraMRZScan(camera: camera, timeout: Self.timeLimit)
    let zone = try await CameraViewfinder.scanning(request) { viewfinder in
      try await scan.zone { frame, reading in
        viewfinder?.show(frame, reading)
        onProgress(MrzDetectionState(reading.state))
      }
    }
    return Self.fields(of: zone)
  }

  /// The task of the scan was cancelled, which closes the camera.
  public func stopCamera() async {}

  /// The fields by the names of the protocol. The French identity card has no date of expiry, which the protocol
  /// requires: the page is told that this field is missing.
  static func fields(of zone: RecognizedZone) -> JSONObject {
    guard let document = zone.zone else { return frenchFields(of: zone) }
    // The protocol's own rules (`MrzFields`) are for the two formats that it knows.
    var fields = document.format == .td3 || document.format == .td1 ? MrzFields.json(zone.lines) : [:]
    if fields.isEmpty {
      func padded(_ code: String) -> String { code + String(repeating: "<", count: max(0, 3 - code.count)) }
      fields = [
        "documentType": .string(document.documentCode), "issuingState": .string(padded(document.issuingState)),
        "nationality": .string(padded(document.nationality)), "dateOfBirth": .string(document.dateOfBirth),
        "gender": .string(MrzFields.withoutFillers(document.sex)), "dateOfExpiry": .string(document.dateOfExpiry),
        "surname": .string(document.primaryIdentifier), "givenNames": .string(document.secondaryIdentifier),
        "raw": .string(zone.text),
      ]
    }
    // Of a number with more than nine characters the rules take the first nine.
    fields["documentNumber"] = .string(MrzFields.withoutFillers(document.documentNumber))
    return fields
  }

  private static func frenchFields(of zone: RecognizedZone) -> JSONObject {
    let lines = zone.lines.map { Array($0) }
    func part(_ line: Int, _ columns: Range<Int>) -> JSONValue {
      let text = line < lines.count && columns.upperBound <= lines[line].count ? String(lines[line][columns]) : ""
      return .string(text.split(separator: "<").joined(separator: " "))
    }
    return [
      "documentType": "ID", "issuingState": "FRA", "surname": part(0, 5..<30), "documentNumber": part(1, 0..<12),
      "givenNames": part(1, 13..<27), "dateOfBirth": part(1, 27..<33), "gender": part(1, 34..<35),
      "raw": .string(zone.text),
    ]
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
