/// Reads passports.
public protocol NfcProvider: Sendable {
  /// Whether a reader is present and may be used.
  func isAvailable() async -> Bool

  /// Reads one document.
  ///
  /// - Parameters:
  ///   - request: the access key and the options of the scan.
  ///   - onProgress: receives the steps in order, and none after the return. The bridge drops steps that repeat or
  ///     go back.
  /// - Throws: `BridgeError` for a specific code, for example `PARSE_ERROR` if a remote reader returned an unreadable
  ///   result; the code of any other error is that of its failure. Cancelling the task ends the scan.
  func scanPassport(
    _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void
  ) async throws -> NfcScanResult

  /// Reads one document, and also reports how much of each file was read. Without an implementation, it does not report
  /// that.
  func scanPassport(
    _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void,
    onFile: @escaping @Sendable (NfcFileProgress) -> Void
  ) async throws -> NfcScanResult

  /// What the readers have: at once, and after each change, until the consumer stops listening. nil if the provider does
  /// not know; by default it does not.
  func readerStates() -> AsyncStream<NfcReaderState>?

  /// Stops the scan after it was answered; its task is already cancelled. No other scan begins before the return.
  func cancelScan() async
}

/// How many readers there are, and in how many of them is a document. The names of readers describe the machine, so that
/// pages do not learn them.
public struct NfcReaderState: Sendable, Equatable {
  public var readers: Int
  public var documents: Int

  public init(readers: Int, documents: Int) { (self.readers, self.documents) = (readers, documents) }

  /// What has changed, by the names of the protocol; empty if nothing has.
  func changes(since old: NfcReaderState?) -> [String] {
    guard let old else { return ["watching"] }
    var names: [String] = []
    if readers != old.readers { names.append(readers > old.readers ? "reader_connected" : "reader_removed") }
    if documents != old.documents { names.append(documents > old.documents ? "document_placed" : "document_removed") }
    return names
  }
}

extension NfcProvider {
  public func readerStates() -> AsyncStream<NfcReaderState>? { nil }

  public func scanPassport(
    _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void,
    onFile: @escaping @Sendable (NfcFileProgress) -> Void
  ) async throws -> NfcScanResult {
    try await scanPassport(request, onProgress: onProgress)
  }
}

/// How much of a file of the chip was read.
public struct NfcFileProgress: Sendable, Equatable {
  /// The name in Doc 9303-10, for example `DG2` or `EF.SOD`.
  public var file: String
  public var bytesRead: Int
  public var bytesTotal: Int

  public init(file: String, bytesRead: Int, bytesTotal: Int) {
    self.file = file
    self.bytesRead = bytesRead
    self.bytesTotal = bytesTotal
  }
}

/// The parameters of a passport scan.
public struct NfcScanRequest: Sendable, Equatable {
  /// With or without fillers (`<`) at the end.
  public var passportNumber: String
  /// `YYMMDD`, or as the user wrote it (`MRZInformation`).
  public var dateOfBirth: String
  /// The same.
  public var dateOfExpiry: String
  /// The card access number, if it replaces the MRZ for PACE.
  public var canNumber: String?
  public var skipPACE: Bool
  public var skipChipAuthentication: Bool
  /// Whether every data group is to be read and reported (`NfcScanResult.report`).
  public var wantsReport: Bool

  public init(
    passportNumber: String, dateOfBirth: String, dateOfExpiry: String, canNumber: String? = nil,
    skipPACE: Bool = false, skipChipAuthentication: Bool = false, wantsReport: Bool = false
  ) {
    self.passportNumber = passportNumber
    self.dateOfBirth = dateOfBirth
    self.dateOfExpiry = dateOfExpiry
    self.canNumber = canNumber
    self.skipPACE = skipPACE
    self.skipChipAuthentication = skipChipAuthentication
    self.wantsReport = wantsReport
  }
}

// The fields are personal data and the access key of the chip.
extension NfcScanRequest: Redacted {}

/// The steps of a scan, with percentages and state indices (the bridge protocol, section nfc).
public enum NfcScanStep: String, Sendable, CaseIterable {
  case waitingForTag = "waiting_for_tag"
  case connecting
  case pace
  case paceSucceeded = "pace_succeeded"
  case bac
  case bacSucceeded = "bac_succeeded"
  case bacNotRequired = "bac_not_required"
  case readingDG1 = "reading_dg1"
  case readingSOD = "reading_sod"
  case chipAuthentication = "chip_auth"
  case buildingResult = "building_result"
  case complete

  /// The progress of the scan from 0 to 100.
  public var percent: Int64 {
    switch self {
    case .waitingForTag: 0
    case .connecting: 5
    case .pace: 10
    case .bac: 15
    case .paceSucceeded, .bacSucceeded, .bacNotRequired: 25
    case .readingDG1: 40
    case .readingSOD: 55
    case .chipAuthentication: 70
    case .buildingResult: 90
    case .complete: 100
    }
  }

  /// The state to which the step belongs.
  public var state: NfcScanState {
    switch self {
    case .waitingForTag: .waitingForTag
    case .connecting: .connecting
    case .pace, .paceSucceeded, .bac, .bacSucceeded, .bacNotRequired: .authenticating
    case .readingDG1: .readingData
    case .readingSOD: .readingSecurity
    case .chipAuthentication: .authenticatingChip
    case .buildingResult: .finalizing
    case .complete: .complete
    }
  }

  /// The message that clients show.
  public var message: String {
    switch self {
    case .waitingForTag: "Place the passport on the reader"
    case .connecting: "Connecting to passport..."
    case .pace: "Attempting PACE authentication..."
    case .paceSucceeded: "PACE authentication succeeded"
    case .bac: "Attempting BAC authentication..."
    case .bacSucceeded: "BAC authentication succeeded"
    case .bacNotRequired: "Authentication succeeded (BAC not required)"
    case .readingDG1: "Reading passport data..."
    case .readingSOD: "Reading security data..."
    case .chipAuthentication: "Chip authentication..."
    case .buildingResult: "Processing passport data..."
    case .complete: "Scan complete"
    }
  }

  /// The payload of the `scanProgress` event, with the keys of every client generation.
  package var payload: JSONValue { .object(fields) }

  /// The payload with the bytes of a file, which only clients that request a report receive.
  func payload(_ progress: NfcFileProgress) -> JSONValue {
    var fields = fields
    fields["file"] = .string(progress.file)
    fields["bytesRead"] = .integer(Int64(progress.bytesRead))
    fields["bytesTotal"] = .integer(Int64(progress.bytesTotal))
    return .object(fields)
  }

  private var fields: JSONObject {
    [
      "step": .string(rawValue), "percent": .integer(percent), "message": .string(message),
      "stateIndex": .integer(state.rawValue),
    ]
  }

  /// Makes this step the latest one, unless it repeats the latest step or goes back.
  ///
  /// - Returns: whether the step is new.
  func advance(_ latest: inout NfcScanStep?) -> Bool {
    guard latest != self, percent >= latest?.percent ?? 0 else { return false }
    latest = self
    return true
  }
}

/// The states that some clients show instead of steps; the raw value is `stateIndex` of the event (the bridge protocol,
/// section nfc).
public enum NfcScanState: Int64, Sendable, CaseIterable {
  case waitingForTag, connecting, authenticating, readingData, readingSecurity, authenticatingChip, finalizing, complete
}
