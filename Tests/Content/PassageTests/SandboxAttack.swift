import Foundation
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

/// A program (`probe.py`) that tries what is asked of it, outside of the sandbox and in it.
struct SandboxAttack {
  /// What it found.
  struct Findings: Decodable {
    /// Whether each attempt worked.
    let attempts: [String: Bool]
    /// The entries of each folder that could be listed.
    let entries: [String: [String]]
    /// Lines of `/proc/self/status`.
    let facts: [String: String]
    let user: Int
    /// The open files.
    let descriptors: [Int]
    /// The version of landlock(7) that the kernel has; 0 for none.
    let landlock: Int
  }

  let free: Findings
  let caught: Findings

  /// - Parameters:
  ///   - environment: What both runs have beside the lab's.
  ///   - before: The words before the command of both runs: a program that runs it.
  static func run(
    _ lab: PassageLab, _ attempts: JSONValue, environment: [String: String] = [:], before: [String] = []
  ) async throws -> SandboxAttack {
    let source = try String(
      contentsOf: Fixtures.tests.appendingPathComponent("Content/PassageTests/Site/programs/probe.py"), encoding: .utf8)
    let probe = ["/usr/bin/python3", "-c", source, attempts.text]
    let environment = lab.environment.merging(environment) { $1 }
    func findings(_ words: [String]) async throws -> Findings {
      let words = before + words
      let run = try await RunningProgram(
        URL(fileURLWithPath: words[0]), Array(words.dropFirst()), environment: environment
      ).finish(within: 120)
      try #require(run.status == 0, "\(run.errors)")
      return try JSONDecoder().decode(Findings.self, from: Data(run.output.utf8))
    }
    return SandboxAttack(
      free: try await findings(probe),
      caught: try await findings([PassageLab.program.path, "sandbox", "--"] + probe))
  }

  /// Expects that everything works outside and nothing inside.
  ///
  /// - Returns: the number of attempts.
  func expectCaught(except ignored: [String] = []) -> Int {
    for (name, worked) in caught.attempts where !ignored.contains(name) {
      #expect(free.attempts[name] == true, "outside: \(name)")
      #expect(!worked, "inside: \(name)")
    }
    return caught.attempts.count - ignored.count
  }
}
