import Foundation
import TestSupport
import Testing

extension RealPrograms {
  /// A shell that completes the commands of a program completes only what the program says: a file, if it says so.
  @Suite("Arguments that name files")
  struct FileCompletionTests {
    private struct Program: Decodable {
      let command: Command
    }
    private struct Command: Decodable {
      let commandName: String
      let arguments: [Argument]?
      let subcommands: [Command]?

      var tree: [Command] { [self] + (subcommands ?? []).flatMap(\.tree) }
    }
    private struct Argument: Decodable {
      let valueName: String?
      let names: [Name]?
      let completionKind: [String: Details]?

      var namesFile: Bool {
        let words = (valueName ?? "").split(separator: "|")
        return ["file", "dir", "folder", "path", "dump", "image"].contains(where: words.contains)
      }
    }
    private struct Name: Decodable { let name: String }
    /// Of no interest here.
    private struct Details: Decodable {}

    @Test("complete to files or folders", arguments: BuiltManual.programs)
    func files(_ program: URL) async throws {
      let run = try await RunningProgram(program, ["--experimental-dump-help"]).finish()
      let root = try JSONDecoder().decode(Program.self, from: Data(run.output.utf8)).command
      var found = 0
      for command in root.tree {
        for argument in command.arguments ?? [] where argument.namesFile {
          found += 1
          let kinds = Set((argument.completionKind ?? [:]).keys)
          #expect(
            !kinds.isDisjoint(with: ["file", "directory"]),
            "\(command.commandName) \(argument.names?.map(\.name) ?? []) \(argument.valueName ?? "")")
        }
      }
      #expect(found > 0)
    }
  }
}
