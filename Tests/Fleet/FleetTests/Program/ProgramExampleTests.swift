import Foundation
import TestSupport
import Testing

extension RealPrograms {
  /// The examples in the help of a fleet's commands. None is executed: an option that does not exist ends each while its
  /// arguments are read, after everything that is wrong with the others.
  @Suite("The examples of the fleet's commands") struct ProgramExampleTests {
    private static let unknown = "--no-such-option"

    @Test(
      "has options that exist, with values that they take",
      arguments: [
        ["fleet"], ["fleet", "configure"], ["fleet", "prepare"], ["fleet", "status"], ["fleet", "read"], ["inspect"],
        ["trust", "import"],
      ])
    func examples(_ command: [String]) async throws {
      let help = try await ProgramRun.tessera(command + ["--help"]).output
      let examples = Self.examples(in: help)
      #expect(!examples.isEmpty)
      for example in examples {
        let run = try await ProgramRun.tessera(example + [Self.unknown])
        #expect(run.status == 2 && run.errors.contains(": Unknown option '\(Self.unknown)'"), "\(run.errors)")
      }
    }

    /// The arguments of each line that begins with the name of the program, with the lines that continue it.
    private static func examples(in help: String) -> [[String]] {
      help.replacing(/\\\n/, with: "").split(separator: "\n").filter { $0.hasPrefix("  tessera ") }.map { line in
        line.split(separator: " ").dropFirst().map(String.init)
      }
    }
  }
}
