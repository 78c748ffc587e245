import Foundation
import TestSupport
import Testing

@testable import TesseraManual

/// The manual of the programs that are built here.
enum BuiltManual {
  static let names = ["tessera", "tessera-service", "tessera-fleet", "tessera-window", "tessera-passage"]

  /// Continuous integration has every program that the tests use, so a test fails there instead of being skipped.
  static let isComplete = ProcessInfo.processInfo.environment["CI"] == "true"

  /// The programs in the build folder. Continuous integration builds all of them; a run of some targets does not.
  static let programs = names.map(ProgramRun.built).filter { FileManager.default.isExecutableFile(atPath: $0.path) }

  /// The root command of each program.
  static let roots: [CommandDefinition] = programs.compactMap { program in
    (try? ProgramDefinition(program: program.path))?.command
  }

  /// All commands that the programs show, of all depths.
  static let commands = Manual.commands(roots)

  static func has(_ name: String) -> Bool { roots.contains { $0.commandName == name } }

  /// Runs `tessera-manual`.
  static func write(to folder: String, date: Int = 1_764_201_600) async throws -> ProgramRun {
    try await RunningProgram(
      ProgramRun.built("tessera-manual"),
      ["--program"] + programs.map(\.path) + ["--output", folder, "--date", "\(date)"]
    ).finish()
  }
}
