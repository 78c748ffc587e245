/// Reads passports.
public protocol NfcProvider: Sendable {
  /// Whether a reader is there and may be used.
  func isAvailable() async -> Bool

  /// Reads one document.
  ///
  /// - Parameter onProgress: is called in order, and not any more after the return.
  /// - Returns: the JSON text of a flat result (shape A of the protocol).
  /// - Throws: any error; the table of failures gives its code. Cancelling the task ends the scan.
  func scanPassport(
    _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void
  ) async throws -> String

  /// Is called when nobody waits for the scan any more; its task has been cancelled. No other scan begins before the
  /// return.
  func cancelScan() async
}

/// What a page asks to be read, and with which key.
public struct NfcScanRequest: Sendable, Equatable {
  /// With or without fillers at the end.
  public var passportNumber: String
  /// `YYMMDD`.
  public var dateOfBirth: String
  /// `YYMMDD`.
  public var dateOfExpiry: String
  /// The card access number, where it is to be used instead of the MRZ.
  public var canNumber: String?
  public var skipPACE: Bool
  public var skipChipAuthentication: Bool

  public init(
    passportNumber: String, dateOfBirth: String, dateOfExpiry: String, canNumber: String? = nil,
    skipPACE: Bool = false, skipChipAuthentication: Bool = false
  ) {
    self.passportNumber = passportNumber
    self.dateOfBirth = dateOfBirth
    self.dateOfExpiry = dateOfExpiry
    self.canNumber = canNumber
    self.skipPACE = skipPACE
    self.skipChipAuthentication = skipChipAuthentication
  }
}

// The fields are personal data and the key to the chip.
extension NfcScanRequest: Redacted {}

/// The steps of a scan, with the percentages and state indices of the protocol (dossier, 4.2).
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

  public var message: String {
    switch self {
    case .waitingForTag: "Hold the passport on the reader"
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

  /// The payload of the `scanProgress` event: the keys of every generation of clients.
  public var payload: JSONValue {
    [
      "step": .string(rawValue), "percent": .integer(percent), "message": .string(message),
      "stateIndex": .integer(state.rawValue),
    ]
  }
}

/// The coarser states of some clients, by the index that they know them by (dossier, 4.2).
public enum NfcScanState: Int64, Sendable, CaseIterable {
  case waitingForTag, connecting, authenticating, readingData, readingSecurity, authenticatingChip, finalizing, complete
}
