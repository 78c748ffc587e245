import Bridge
import Passport
import SmartCard
import Synchronization

/// The bridge's NFC provider: a passport read with the steps and the result of the mobile SDKs.
///
/// Unlike the Android SDK, a scan does not fall back to Basic Access Control after a failed PACE, since whoever can make
/// PACE fail could thereby choose the weaker protocol. A wrong key ends with `AUTH_FAILED`, everything else with
/// `NFC_SCAN_FAILED`; a page that wants Basic Access Control asks for it by `skipPACE`. A chip that does not offer PACE, or
/// none that this reader and Tessera can do, is opened by Basic Access Control, and `accessControl.reason` of the result
/// tells why. Where the signed DG14 lists other PACE than the chip offered, `access.downgrade` is among the failed checks.
public final class PassportNfcProvider: NfcProvider {
  private let source: CardSource

  /// - Parameter source: where cards come from.
  public init(source: CardSource) { self.source = source }

  public func isAvailable() async -> Bool { await source.isAvailable() }

  /// Scans are ended by cancelling their task; there is nothing else to stop.
  public func cancelScan() async {}

  public func scanPassport(
    _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void
  ) async throws -> String {
    let inspection = try Self.inspection(request)
    let steps = Steps(report: onProgress)
    steps.reach(.waitingForTag)
    let dump = try await source.withCard { card in
      try await Inspection.read(card, inspection) { steps.follow($0) }
    }
    steps.reach(.buildingResult)
    let text = try FlatScanResult(dump).json.text
    steps.reach(.complete)
    return text
  }

  /// DG1 and EF.SOD are all that the result needs, and DG14 and DG15 for the checks. Three attempts half a second apart are
  /// what the mobile SDKs make. The card access number replaces the MRZ for PACE only.
  private static func inspection(_ request: NfcScanRequest) throws -> InspectionRequest {
    let information = try MRZInformation(
      documentNumber: request.passportNumber, dateOfBirth: request.dateOfBirth, dateOfExpiry: request.dateOfExpiry)
    let digits = request.skipPACE ? nil : request.canNumber.flatMap { $0.isEmpty ? nil : $0 }
    var inspection = InspectionRequest(
      key: try digits.map { try AccessKey(cardAccessNumber: $0) } ?? .mrz(information), dataGroups: [1])
    inspection.basicAccessKey = information
    inspection.readsSecurityGroups = true
    inspection.skipsPACE = request.skipPACE
    inspection.chipAuthentication = request.skipChipAuthentication ? .never : .always
    inspection.accessAttempts = 3
    return inspection
  }
}

/// Turns the progress of an inspection into the protocol's steps, each told once and only forward.
private final class Steps: Sendable {
  private let report: @Sendable (NfcScanStep) -> Void
  private let last = Mutex<NfcScanStep?>(nil)

  init(report: @escaping @Sendable (NfcScanStep) -> Void) { self.report = report }

  func follow(_ progress: InspectionProgress) {
    switch progress {
    case .connected: reach(.connecting)
    case .accessing(.pace): reach(.pace)
    case .accessing: reach(.bac)
    case .accessGranted(.pace): reach(.paceSucceeded)
    case .accessGranted(.bac): reach(.bacSucceeded)
    case .accessGranted(.none): reach(.bacNotRequired)
    case .reading(.dg1, _, _): reach(.readingDG1)
    case .reading(.sod, _, _): reach(.readingSOD)
    case .authenticatingChip: reach(.chipAuthentication)
    case .reading, .lost, .returned, .finished: break
    }
  }

  func reach(_ step: NfcScanStep) {
    let isNew = last.withLock { last in
      guard last != step, step.percent >= last?.percent ?? 0 else { return false }
      last = step
      return true
    }
    if isNew { report(step) }
  }
}
