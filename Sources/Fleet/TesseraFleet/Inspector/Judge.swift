internal import Logging
internal import TesseraCore
package import TesseraPassport
internal import TesseraVerification

/// Judges a finished read and keeps its record, in this order: nobody learns a verdict that is not recorded.
struct Judge: Sendable {
  let inspector: FleetIdentifier
  let trust: any FleetTrustSource
  let recorder: any FleetRecording
  let configuration: InspectorConfiguration
  let clock: InspectorClock
  let logger: Logger

  /// - Parameter challenge: the challenge that Active Authentication must have answered; nil for any.
  /// - Throws: `FleetError`; `CancellationError`.
  func verdict(
    _ read: InspectedRead, _ mode: FleetReadingMode, _ dump: DocumentDump, challenge: [UInt8]?
  ) async throws -> VerdictMessage {
    let trust = try await currentTrust()
    // It was right when the read began.
    try clock.check()
    let report = try Report(dump, trust: trust.material, challenge: challenge)
    let recorded = try await record(
      FinishedRead(
        readID: read.readID, desk: read.desk, mode: mode, software: read.software, report: report, dump: dump,
        trustVersion: trust.version, inspector: inspector))
    let isVisible = mode == .witnessed || configuration.showsRemoteReports
    return VerdictMessage(
      report, recorded: recorded, trustVersion: trust.version, reportJSON: isVisible ? try report.json() : nil)
  }

  private func currentTrust() async throws -> VersionedTrust {
    do {
      return try await trust.current()
    } catch let error as CancellationError {
      throw error
    } catch {
      logger.error("There are no usable country certificates: \(Self.reason(error))")
      throw FleetError(.trustUnavailable)
    }
  }

  /// - Returns: whether the stream has acknowledged the record.
  private func record(_ read: FinishedRead) async throws -> Bool {
    let outcome: RecordOutcome
    do {
      outcome = try await recorder.record(read)
    } catch let error as CancellationError {
      throw error
    } catch {
      logger.error("The record of read \(read.readID) is kept nowhere: \(Self.reason(error))")
      throw FleetError(.notRecorded)
    }
    switch outcome {
    case .recorded: return true
    case .spooled: return false
    case .conflict: throw FleetError(.readIDUsed)
    }
  }

  private static func reason(_ error: any Error) -> String { Failure(error).cause }
}

/// What an inspector does for desks.
package struct InspectorConfiguration: Sendable {
  /// The ways of reading that it offers.
  package var modes: Set<FleetReadingMode> = Set(FleetReadingMode.allCases)
  /// The access key for remote reads of desks that send none.
  package var key: AccessKey?
  /// Whether a desk receives the report of a document that was read remotely, and so the personal data in it.
  package var showsRemoteReports = false
  /// The data groups that are read of every document that has them; nil for all that need no Terminal Authentication. A
  /// desk can have more of them read, and never fewer: it could hide a changed one.
  package var dataGroups: Set<Int>?
  /// When to perform Chip Authentication in a remote read; with `.never`, the chip need not prove itself, and DG14 and
  /// DG15 are read only if `dataGroups` contains them. In a witnessed read it always proves itself.
  package var chipAuthentication = ChipAuthenticationPolicy.always
  package var limits = FleetLimits()
  package var clock = ClockSettings()

  package init() {}

  /// The data groups of one read.
  ///
  /// - Parameter wanted: those that the desk wants; nil for all.
  func dataGroups(with wanted: Set<Int>?) -> Set<Int>? {
    guard let dataGroups, let wanted else { return nil }
    return dataGroups.union(wanted)
  }
}
