public import TesseraCore
public import Testing

/// The expected result of a read of each faulty profile of the virtual chip.
public struct FaultRow: Sendable, CustomTestStringConvertible {
  /// The profile's name.
  public let name: String
  /// A card access number for the read, if the MRZ would not trigger the fault.
  public let cardAccessNumber: String?
  public let outcome: Outcome

  public enum Outcome: Sendable, Equatable {
    /// A report with these failed checks, findings and missing files.
    case report(failed: [String], findings: [String], missing: [String])
    /// No report: the kind of the failure, the exit status, and words of the message.
    case error(FailureKind, status: Int32, String)
  }

  public var testDescription: String { name }

  /// The exit status of `tessera passport read`.
  public var exitStatus: Int32 {
    switch outcome {
    case .report(let failed, let findings, _): failed.isEmpty && findings.isEmpty ? 0 : 5
    case .error(_, let status, _): status
    }
  }

  private static func report(
    _ name: String, failed: String..., findings: [String] = [], missing: [String] = []
  ) -> FaultRow {
    FaultRow(
      name: "fault-" + name, cardAccessNumber: nil,
      outcome: .report(failed: failed, findings: findings, missing: missing))
  }

  private static func error(
    _ name: String, _ kind: FailureKind, status: Int32, _ words: String, cardAccessNumber: String? = nil
  ) -> FaultRow {
    FaultRow(name: "fault-" + name, cardAccessNumber: cardAccessNumber, outcome: .error(kind, status: status, words))
  }

  public static let all: [FaultRow] = [
    report("clone", failed: "chip.authentication", "active.authentication"),
    report("clone-cam", failed: "pace.chipAuthentication"),
    report("signature", failed: "active.authentication"),
    error("token", .protocolViolation, status: 6, "authentication token of PACE is wrong"),
    report("parameters", findings: ["access.downgrade"]),
    error("point", .protocolViolation, status: 6, "in the mapping of the nonce of PACE is not in the group"),
    error("infinity", .protocolViolation, status: 6, "in the mapping of the nonce of PACE is the group's identity"),
    error("zero", .protocolViolation, status: 6, "in the mapping of the nonce of PACE is not in the group"),
    error("echo", .protocolViolation, status: 6, "the reader's own key in the mapping of the nonce"),
    error("echo-agreement", .protocolViolation, status: 6, "the reader's own key in the key agreement"),
    report("length", failed: "passive.hashes", findings: ["dataGroup.missing"], missing: ["DG2"]),
    report("endless", failed: "passive.hashes", findings: ["dataGroup.missing"], missing: ["DG2"]),
    error("blocked", .accessDenied, status: 4, "has blocked this password", cardAccessNumber: "000000"),
    // The read completes despite these faults and uses no invalid data.
    report("long-answers"),
    report("extended"),
    report("slow"),
    // The read resumes.
    report("lost"),
  ]
}
