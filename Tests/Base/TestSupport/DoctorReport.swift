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

  /// The report of the doctor.
  ///
  /// - Parameters:
  ///   - acceptsSilence: Whether it is a result that a service does not answer in time. Otherwise the machine is taken
  ///     for a busy one, and the doctor runs again, ten times at most. It always does if another check does not finish.
  ///   - run: Runs `tessera doctor --json` once.
  public init(acceptsSilence: Bool = false, _ run: () async throws -> ProgramRun) async throws {
    var report = try Self(try await run())
    for _ in 0..<9 where report.hasSilence(besidesServices: acceptsSilence) { report = try Self(try await run()) }
    self = report
  }

  /// Whether a check reached its time limit. One that asks a service has a finding of its own for that.
  private func hasSilence(besidesServices: Bool) -> Bool {
    findings.contains { $0.id == "doctor.silence" || !besidesServices && $0.id.hasSuffix(".silent") }
  }

  /// The findings whose identifiers start with this word: `pcsc`, `reader`, …
  public func about(_ part: String) -> [Finding] {
    findings.filter { $0.id.split(separator: ".").first.map(String.init) == part }
  }
}

extension PrivateMachine {
  /// Runs `tessera doctor` there.
  ///
  /// - Parameter acceptsSilence: As in `DoctorReport`.
  public func doctor(
    isNobody: Bool = false, environment: [String: String] = [:], acceptsSilence: Bool = false
  ) async throws -> DoctorReport {
    try await DoctorReport(acceptsSilence: acceptsSilence) {
      try await tessera(["doctor", "--json"], isNobody: isNobody, environment: environment)
    }
  }

  /// Runs the command of a finding as it was printed.
  public func applyRemedy(of finding: DoctorReport.Finding, environment: [String: String] = [:]) async throws {
    guard let command = finding.command else { throw Failure(.usage, "\(finding.id) has no command") }
    try await prepare(command, environment: environment)
  }
}
