import BenchmarkPage
import Foundation
import Tessera

/// Measures processor time, memory and card exchanges. Each row shows the lower bound, or what OpenSSL, the machine or
/// a vendor's tool needs in the same run, and the goal. A missed goal does not change the exit status.
///
///     swift run -c release tessera-bench [--json | --markdown] [--program PATH] [passport] [verification] [signing]
///         [storage] [service] [haptics] [strings]
///     swift run -c release tessera-bench --page FILE --program PATH
///
/// `--markdown` prints the tables of the article Benchmarks, `--page` replaces them in it. `--program` adds the rows of
/// a program as a whole.
@main
struct Benchmarks {
  private static let groups: [(name: String, run: @Sendable (String) async throws -> [Measurement])] = [
    ("passport", PassportBenchmarks.run), ("verification", VerificationBenchmarks.run),
    ("signing", SigningBenchmarks.run), ("storage", StorageBenchmark.run), ("service", ServiceThroughput.run),
    ("haptics", { _ in try await HapticLatency.run() }), ("strings", StringsBenchmark.run),
  ]

  static func main() async {
    do {
      try await run()
    } catch {
      note("tessera-bench: \(error)")
      exit(1)
    }
  }

  private static func run() async throws {
    if try await PeakMemory.isReader(CommandLine.arguments) { return }
    if try ManyDumps.isVerifier(CommandLine.arguments) { return }
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let options = BenchmarkOptions(arguments, groups: groups.map(\.name)) else {
      note(BenchmarkOptions.usage(groups: groups.map(\.name)))
      exit(2)
    }
    let page = options.page.map(MeasuredPage.init(path:))
    // A page without marks is refused before the measurements, which take minutes.
    try page?.check()
    setenv("TSS2_LOG", "all+NONE", 0)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tessera-bench-\(getpid())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    setenv("XDG_DATA_HOME", folder, 1)
    var all: [Measurement] = []
    func add(_ measurements: [Measurement]) {
      if options.form == .text { for measurement in measurements { print(measurement) } }
      all += measurements
    }
    // First: a program that does not start is reported at once.
    if let program = options.program { add(try WholeProgram.run(program)) }
    for group in groups where options.groups.contains(group.name) { add(try await group.run(folder)) }
    switch options.form {
    case .text, .markdown: break
    case .json:
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      print(String(decoding: try encoder.encode(all), as: UTF8.self))
    }
    guard options.form == .markdown || page != nil else { return }
    let missing = PageTables.missing(in: all)
    for name in missing { note("not measured: \(name)") }
    let tables = PageTables.report(all).markdown
    if options.form == .markdown { print(tables) }
    guard let page else { return }
    // An earlier run may have measured the rows that are missing.
    guard missing.isEmpty else { throw MeasuredPage.MissingRows() }
    try page.replace(with: tables)
  }
}
