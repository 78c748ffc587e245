internal import Logging
internal import TesseraCore
internal import TesseraPassport
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
