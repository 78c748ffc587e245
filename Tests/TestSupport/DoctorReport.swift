import Foundation
import TesseraCore

/// The output of `tessera doctor --json`.
public struct DoctorReport: Decodable, Sendable {
  public struct Finding: Decodable, Sendable {
    public let id: String
    public let status: String
    public let title: String
    public let cause: String
    public let remedy: String?
    public let command: String?
  }

  public let findings: [Finding]

  public init(_ run: ProgramRun) throws {
    guard let report = try? JSONDecoder().decode(Self.self, from: Data(run.output.utf8)) else {
      throw Failure(.protocolViolation, "no report: status \(run.status), \(run.output)\(run.errors)")
    }
    self = report
    let hasProblem = findings.contains { $0.status == "problem" }
    guard run.status == (hasProblem ? 3 : 0), run.errors.isEmpty else {
      throw Failure(.protocolViolation, "status \(run.status): \(run.errors)")
    }
  }

  /// The findings whose identifiers start with this word: `pcsc`, `reader`, …
  public func about(_ part: String) -> [Finding] {
    findings.filter { $0.id.split(separator: ".").first.map(String.init) == part }
  }
}

extension PrivateMachine {
  /// Runs `tessera doctor` there.
  public func doctor(isNobody: Bool = false, environment: [String: String] = [:]) async throws -> DoctorReport {
    try DoctorReport(try await tessera(["doctor", "--json"], isNobody: isNobody, environment: environment))
  }

  /// Runs the command of a finding as it was printed.
  public func applyRemedy(of finding: DoctorReport.Finding, environment: [String: String] = [:]) async throws {
    guard let command = finding.command else { throw Failure(.usage, "\(finding.id) has no command") }
    try await prepare(command, environment: environment)
  }
}
