public import Testing

/// How the read of each faulty profile of the software chip ends.
public struct FaultRow: Sendable, CustomTestStringConvertible {
  /// The profile's name.
  public let name: String
  /// A card access number to read with, where the chip's own MRZ would show nothing.
  public let cardAccessNumber: String?
  public let outcome: Outcome

  public enum Outcome: Sendable, Equatable {
    /// A report, in which these checks fail, these findings stand and these files are missing.
    case report(failed: [String], findings: [String], missing: [String])
    /// No report: the exit status, and words of the message.
    case error(status: Int32, String)
  }

  public var testDescription: String { name }

  /// What `tessera passport read` ends with.
  public var exitStatus: Int32 {
    switch outcome {
    case .report(let failed, let findings, _): failed.isEmpty && findings.isEmpty ? 0 : 5
    case .error(let status, _): status
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
    _ name: String, status: Int32, _ words: String, cardAccessNumber: String? = nil
  ) -> FaultRow {
    FaultRow(name: "fault-" + name, cardAccessNumber: cardAccessNumber, outcome: .error(status: status, words))
  }

  public static let all: [FaultRow] = [
    report("clone", failed: "chip.authentication", "active.authentication"),
    report("clone-cam", failed: "pace.chipAuthentication"),
    report("signature", failed: "active.authentication"),
    error("token", status: 6, "authentication token of PACE is wrong"),
    report("parameters", findings: ["access.downgrade"]),
    error("point", status: 6, "in the mapping of the nonce of PACE is not in the group"),
    error("infinity", status: 6, "in the mapping of the nonce of PACE is the group's identity"),
    error("zero", status: 6, "in the mapping of the nonce of PACE is not in the group"),
    error("echo", status: 6, "the reader's own key back in the mapping of the nonce"),
    error("echo-agreement", status: 6, "the reader's own key back in the key agreement"),
    report("length", failed: "passive.hashes", missing: ["DG2"]),
    report("endless", failed: "passive.hashes", missing: ["DG2"]),
    error("blocked", status: 4, "has blocked this password", cardAccessNumber: "000000"),
    // These are survived: what was asked for is read, and nothing else believed.
    report("long-answers"),
    report("extended"),
    report("slow"),
    // Goes on where it stopped.
    report("lost"),
  ]
}
