import Foundation
import TestSupport

/// The programs that show and check manual pages.
enum ManualReader {
  private static let man = "/usr/bin/man"
  private static let mandoc = "/usr/bin/mandoc"

  /// `man` without the formatter shows nothing.
  static let isEnabled =
    BuiltManual.isComplete || [man, "/usr/bin/groff"].allSatisfy(FileManager.default.isExecutableFile(atPath:))
  static let isMandocEnabled = BuiltManual.isComplete || FileManager.default.isExecutableFile(atPath: mandoc)

  /// The page as text, and the warnings of groff.
  static func show(_ page: String) async throws -> (run: ProgramRun, warnings: [String]) {
    let run = try await RunningProgram(
      URL(fileURLWithPath: man), ["--warnings", "--local-file", page],
      environment: ["LC_ALL": "C.UTF-8", "MANPAGER": "cat", "MANROFFSEQ": "", "MANWIDTH": "80"]
    ).finish()
    // A long address is wider than the column; lintian accepts that, too.
    let isHarmless = { (line: String) in line.contains("break line") || line.contains("adjust line") }
    return (run, run.errors.split(separator: "\n").map(String.init).filter { !isHarmless($0) })
  }

  static func lint(_ page: String) async throws -> ProgramRun {
    try await RunningProgram(URL(fileURLWithPath: mandoc), ["-T", "lint", "-W", "warning", page]).finish()
  }
}
