import Foundation
import TesseraCommandLine
import TestSupport
import Testing

@testable import TesseraManual

extension RealPrograms {
  /// The help of every command of every program that is built here.
  @Suite("Help")
  struct HelpTests {
    private static let width = 80

    /// Each command with its program. `tessera` has no help of a command whose program is not built.
    static let commands: [Shown] = zip(BuiltManual.programs, BuiltManual.roots).flatMap { program, root in
      root.tree.filter { command in
        let sibling = SiblingCommand.all.first { $0.name == command.words.dropFirst().first }
        return root.commandName != "tessera" || sibling.map { BuiltManual.has($0.program.name) } ?? true
      }.map { Shown(program: program, command: $0) }
    }

    struct Shown: CustomTestStringConvertible, Sendable {
      let program: URL
      let command: CommandDefinition

      var testDescription: String { "\(program.lastPathComponent): \(command.words.joined(separator: " "))" }
    }

    @Test("all programs have commands")
    func found() {
      #expect(BuiltManual.roots.count == BuiltManual.programs.count)
      #expect(Self.commands.count > 60)
    }

    @Test("is not wider than a terminal of 80 columns", arguments: commands)
    func width(_ shown: Shown) async throws {
      let run = try await RunningProgram(
        shown.program, Array(shown.command.words.dropFirst()) + ["--help"], environment: ["COLUMNS": "80"]
      ).finish()
      #expect(run.status == 0 && run.output.contains("USAGE: "), "\(run.output)\(run.errors)")
      for line in run.output.split(separator: "\n") { #expect(line.count <= Self.width, "\(line)") }
    }

    /// The parser folds each line by itself: a line that is broken in the source code has a short rest below it, and a line
    /// of a command that it folds cannot be copied.
    @Test("has paragraphs of one line, and examples that fit", arguments: commands)
    func paragraphs(_ shown: Shown) {
      let lines = (shown.command.discussion ?? "").split(separator: "\n", omittingEmptySubsequences: false)
      for (line, next) in zip(lines, lines.dropFirst() + [""]) where line.count > Self.width {
        #expect(!line.hasPrefix(" "), "The example is too wide: \(line)")
        #expect(next.isEmpty || next.hasPrefix(" "), "The paragraph is broken: \(line)")
      }
    }
  }
}
