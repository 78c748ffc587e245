import Foundation
import TesseraCommandLine
import TesseraCore
import TestSupport
import Testing

@testable import TesseraManual

extension RealPrograms {
  @Suite("The manual")
  struct ManualPageTests {
    @Test("has a page for each command of each program")
    func complete() async throws {
      if BuiltManual.isComplete { #expect(BuiltManual.roots.map(\.commandName) == BuiltManual.names) }
      let folder = try TemporaryFolder()
      let run = try await BuiltManual.write(to: folder.url.path)
      try #require(run.status == 0, "\(run.errors)")
      let expected = Set(BuiltManual.commands.map { $0.pageName + ".1" })
      #expect(expected.contains("tessera-passport-read.1"))
      // `tessera-fleet` has more commands of `tessera`, which stand in the page of `tessera fleet`.
      let inner = BuiltManual.commands.filter { $0.words.first == "tessera-fleet" && $0.words.count > 1 }
      let found = Set(try FileManager.default.contentsOfDirectory(atPath: folder.url.path))
      #expect(found == expected.subtracting(inner.map { $0.pageName + ".1" }))
      let page = String(decoding: folder.bytes("tessera-passport-read.1"), as: UTF8.self)
      #expect(page.contains("\n.Dd November 27, 2025\n"))
      #expect(page.contains("\n.Op Fl \\-virtual Op Ar profile\n"))
      #expect(page.contains("\n.Ss Access key\n"))
    }

    @Test("is the same for the same date, and another for another")
    func reproducible() async throws {
      let (first, second, third) = (try TemporaryFolder(), try TemporaryFolder(), try TemporaryFolder())
      for folder in [first, second] { #expect(try await BuiltManual.write(to: folder.url.path).status == 0) }
      #expect(try await BuiltManual.write(to: third.url.path, date: 0).status == 0)
      let names = try FileManager.default.contentsOfDirectory(atPath: first.url.path)
      #expect(names.allSatisfy { first.bytes($0) == second.bytes($0) && first.bytes($0) != third.bytes($0) })
    }

    @Test("needs a date")
    func noDate() async throws {
      let folder = try TemporaryFolder()
      let run = try await RunningProgram(
        ProgramRun.built("tessera-manual"), ["--program", ProgramRun.tessera.path, "--output", folder.url.path],
        environment: ["SOURCE_DATE_EPOCH": ""]
      ).finish()
      #expect(run.status != 0 && run.errors.contains("SOURCE_DATE_EPOCH"))
    }

    @Test("every command and every option is explained")
    func explained() {
      #expect(!BuiltManual.commands.isEmpty)
      for command in BuiltManual.commands {
        let name = command.words.joined(separator: " ")
        #expect(command.abstract?.isEmpty == false, "\(name) has no abstract.")
        for argument in command.shownArguments {
          let option = argument.preferredName?.text ?? argument.valueName ?? ""
          #expect(argument.abstract?.isEmpty == false, "\(name): \(option) has no help.")
        }
      }
    }

    @Test("every option of a command stands in its page, and no hidden one")
    func options() throws {
      for command in BuiltManual.commands {
        let page = ManualPage(command: command, related: [], starts: nil, date: try ManualDate(seconds: 0)).mdoc()
        for argument in command.arguments ?? [] {
          for name in argument.names ?? [] {
            let tag = "Fl \(Roff.argument(String(name.text.dropFirst())))"
            let isThere = page.split(separator: "\n").contains { line in
              line.hasPrefix(".It ") && (line + " ").contains(tag + " ")
            }
            #expect(isThere == argument.shouldDisplay, "\(command.pageName): \(name.text)")
          }
        }
      }
    }

    @Test("options with an optional value are those of the help")
    func optionalValues() async throws {
      for command in BuiltManual.commands where command.pageName.hasPrefix("tessera-") {
        guard command.words.first == "tessera", let arguments = command.arguments else { continue }
        let expected = Set(arguments.filter(\.hasOptionalValue).compactMap { $0.preferredName?.text })
        // Most commands have no option with a value that says what it is without one.
        guard !expected.isEmpty || arguments.contains(where: { $0.kind == .option && $0.defaultValue != nil }) else {
          continue
        }
        let help = try await ProgramRun.tessera(Array(command.words.dropFirst()) + ["--help"]).output
        let found = help.matches(of: /(--[a-z-]+) \[</).map { String($0.output.1) }
        // The line of usage can leave options out, the list does not.
        #expect(Set(found) == expected, "\(command.pageName)")
      }
    }

    @Test("the options of tessera-fleet are those of tessera")
    func fleet() {
      let tessera = BuiltManual.commands.filter { $0.words.first == "tessera" }
      let fleet = BuiltManual.roots.first { $0.commandName == "tessera-fleet" }?.tree ?? []
      for command in fleet.dropFirst() where command.shownSubcommands.isEmpty {
        let twin = tessera.first { $0.words.dropFirst() == command.words.dropFirst() }
        let options = command.shownArguments.filter { !$0.isStandard }.compactMap { $0.preferredName?.text }
        let known = (twin?.shownArguments ?? []).compactMap { $0.preferredName?.text }
        #expect(Set(options).isSubset(of: known), "\(command.words)")
      }
    }

    @Test("the command that runs if none is named is one of its parent")
    func defaultCommands() throws {
      let parents = BuiltManual.commands.filter { $0.defaultSubcommand != nil }
      #expect(!parents.isEmpty)
      for parent in parents {
        let page = ManualPage(command: parent, related: [], starts: nil, date: try ManualDate(seconds: 0)).mdoc()
        #expect(page.contains("\nIt runs if no command is named.\n"), "\(parent.pageName)")
      }
    }

    @Test("the exit statuses are those of the programs")
    func statuses() {
      let documented = Set(ManualStatus.all.map { Int32($0.number) })
      #expect(Set(FailureKind.allCases.map(\.exitStatus)).isSubset(of: documented))
    }

    @Test("man shows every page without a warning", .enabled(if: ManualReader.isEnabled))
    func rendered() async throws {
      let folder = try TemporaryFolder()
      #expect(try await BuiltManual.write(to: folder.url.path).status == 0)
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() {
        let (page, warnings) = try await ManualReader.show(folder.file(name))
        #expect(page.status == 0 && warnings.isEmpty, "\(name): \(warnings)")
        #expect(page.output.contains("EXIT STATUS"), "\(name)")
      }
    }

    @Test("mandoc has no objection", .enabled(if: ManualReader.isMandocEnabled))
    func linted() async throws {
      let folder = try TemporaryFolder()
      #expect(try await BuiltManual.write(to: folder.url.path).status == 0)
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() {
        let lint = try await ManualReader.lint(folder.file(name))
        #expect(lint.status == 0, "\(lint.output)\(lint.errors)")
      }
    }
  }
}
