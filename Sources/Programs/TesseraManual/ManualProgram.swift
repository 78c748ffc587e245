import ArgumentParser
import FoundationEssentials

/// Writes the manual when packages are built. It is not installed.
@main
struct ManualProgram: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tessera-manual",
    abstract: "Writes a manual page for each command of the given programs.",
    discussion: """
      Each program is run with --experimental-dump-help, which prints the definitions of its arguments.

      Example:
        SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) tessera-manual \\
          --program .build/release/tessera .build/release/tessera-window --output man1
      """)

  @Option(parsing: .upToNextOption, help: ArgumentHelp("The programs.", valueName: "path"))
  var program: [String]

  @Option(help: ArgumentHelp("The folder that receives the pages. It is created if it is missing.", valueName: "dir"))
  var output: String

  @Option(
    help: ArgumentHelp(
      "The date of the pages, in seconds since 1970 (default: SOURCE_DATE_EPOCH).", valueName: "seconds"))
  var date: Int?

  func run() throws {
    let epoch = ProcessInfo.processInfo.environment["SOURCE_DATE_EPOCH"].flatMap { Int($0) }
    guard let seconds = date ?? epoch else { throw ManualError.noDate }
    let definitions = try program.map { try ProgramDefinition(program: $0) }
    let manual = try Manual(definitions, date: try ManualDate(seconds: seconds))
    let folder = URL(fileURLWithPath: output, isDirectory: true)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for page in manual.pages {
        try Data(page.mdoc().utf8).write(to: folder.appendingPathComponent(page.fileName))
      }
    } catch {
      throw ManualError.cannotWrite(output)
    }
    print("\(manual.pages.count) pages")
  }
}
