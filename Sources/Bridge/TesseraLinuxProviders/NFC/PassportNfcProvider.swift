import TesseraBridge
import TesseraPassport
import TesseraReaders
import TesseraVerification

/// The NFC provider that reads passports through a card reader, with the steps and the result of the mobile SDKs.
///
/// After a failed PACE, a scan does not fall back to Basic Access Control as the Android SDK does: an attacker who
/// makes PACE fail could choose the weaker protocol that way. A wrong key ends with `AUTH_FAILED`, every other failure
/// with `NFC_SCAN_FAILED`. A page requests Basic Access Control with `skipPACE`. If the chip offers no PACE, or none
/// that the reader and Tessera support, Basic Access Control opens it, and `accessControl.reason` of the result gives
/// the reason. If the signed DG14 lists PACE protocols that the chip did not offer, the check `access.downgrade` fails.
public final class PassportNfcProvider: NfcProvider {
  private let source: CardSource
  private let inspection: any DocumentInspection

  /// - Parameters:
  ///   - source: where the documents are.
  ///   - trust: what is known of countries; by default what the user imported.
  public convenience init(source: CardSource, trust: TrustMaterialSource = .imported) {
    self.init(source: source, inspection: LocalInspection(trust: trust))
  }

  /// - Parameters:
  ///   - source: where the documents are.
  ///   - inspection: reads and judges the documents.
  package init(source: CardSource, inspection: any DocumentInspection) {
    self.source = source
    self.inspection = inspection
  }

  public func isAvailable() async -> Bool { await source.isAvailable() }

  public func readerStates() -> AsyncStream<NfcReaderState>? {
    let presences = source.presences()
    return AsyncStream { continuation in
      let task = Task {
        for await presence in presences {
          continuation.yield(NfcReaderState(readers: presence.readers, documents: presence.cards))
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Does nothing: cancelling the task of a scan ends it.
  public func cancelScan() async {}

  public func scanPassport(
    _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void
  ) async throws -> NfcScanResult {
    try await scanPassport(request, onProgress: onProgress, onFile: { _ in })
  }

  public func scanPassport(
    _ request: NfcScanRequest, onProgress: @escaping @Sendable (NfcScanStep) -> Void,
    onFile: @escaping @Sendable (NfcFileProgress) -> Void
  ) async throws -> NfcScanResult {
    let wanted = try Self.inspectionRequest(request)
    onProgress(.waitingForTag)
    let document = try await inspection.inspect(source, wanted) { progress in
      if let step = NfcScanStep(progress) { onProgress(step) }
      if case .reading(let file, let bytes, let total) = progress {
        onFile(NfcFileProgress(file: file.name, bytesRead: bytes, bytesTotal: total))
      }
    }
    onProgress(.buildingResult)
    let result = try NfcScanResult(document, hasReport: request.wantsReport)
    onProgress(.complete)
    return result
  }

  /// The error for what was typed wrongly: no document was looked for. A page, which has a form to mend, learns the parameter
  /// and what to do.
  private static func invalid(_ failure: Failure) -> BridgeError {
    var details = JSONObject(failure.details.mapValues(JSONValue.string))
    details["member"] = failure.details["field"].flatMap { members[$0] }.map(JSONValue.string)
    return BridgeError(
      "INVALID_PARAMS", [failure.cause, failure.remedy].compactMap(\.self).joined(separator: " "),
      details: .object(details), failure: failure)
  }

  /// The parameters by the fields of errors.
  private static let members = [
    "document number": "passportNumber", "date of birth": "dateOfBirth", "date of expiry": "dateOfExpiry",
    "card access number": "canNumber",
  ]

  /// Refuses a date that the calendar does not have, if it is written for people. Six digits are taken as the document has
  /// them: a misprinted date is in the key of its chip.
  private static func checkCalendar(_ request: NfcScanRequest) throws {
    for (field, date) in [("date of birth", request.dateOfBirth), ("date of expiry", request.dateOfExpiry)]
    where date.contains(where: { "-./".contains($0) }) && !MRZInformation.isInCalendar(date) {
      throw invalid(
        Failure(
          .malformedMRZ, "The calendar has no such \(field).",
          remedy: """
            Compare it with the document: in DD.MM.YYYY and DD/MM/YYYY, the day comes first. If the document has this date, \
            write YYMMDD.
            """,
          details: ["field": field]))
    }
  }

  /// The result needs DG1 and EF.SOD, the checks need DG14 and DG15. The mobile SDKs make three attempts, half a second
  /// apart. The card access number replaces the MRZ for PACE only.
  private static func inspectionRequest(_ request: NfcScanRequest) throws -> InspectionRequest {
    let digits = request.skipPACE ? nil : request.canNumber.flatMap { $0.isEmpty ? nil : $0 }
    let (information, number): (MRZInformation, AccessKey?)
    do throws(MRZError) {
      information = try MRZInformation(
        documentNumber: request.passportNumber, dateOfBirth: request.dateOfBirth, dateOfExpiry: request.dateOfExpiry)
      number = if let digits { try AccessKey(cardAccessNumber: digits) } else { nil }
    } catch {
      throw invalid(error.failure)
    }
    if number == nil { try checkCalendar(request) }
    var inspection = InspectionRequest(
      key: number ?? .mrz(information),
      // All of them, for a report.
      dataGroups: request.wantsReport ? nil : [1])
    inspection.basicAccessKey = information
    inspection.readsSecurityGroups = true
    inspection.skipsPACE = request.skipPACE
    inspection.chipAuthentication = request.skipChipAuthentication ? .never : .always
    inspection.accessAttempts = 3
    return inspection
  }
}

extension NfcScanStep {
  /// The step that a page sees; nil for progress that the protocol has no step for.
  fileprivate init?(_ progress: InspectionProgress) {
    switch progress {
    case .connected: self = .connecting
    case .accessing(.pace): self = .pace
    case .accessing: self = .bac
    case .accessGranted(.pace): self = .paceSucceeded
    case .accessGranted(.bac): self = .bacSucceeded
    case .accessGranted(.none): self = .bacNotRequired
    case .reading(.dg1, _, _): self = .readingDG1
    case .reading(.sod, _, _): self = .readingSOD
    case .authenticatingChip: self = .chipAuthentication
    case .reading, .lost, .returned, .finished: return nil
    }
  }
}
