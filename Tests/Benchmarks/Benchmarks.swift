import Foundation
import Tessera

/// Measures processor time, memory and card exchanges. Each row shows the lower bound, or what OpenSSL, the machine or
/// a vendor's tool needs in the same run, and the goal. A missed goal does not change the exit status.
///
///     swift run -c release tessera-bench [--json] [passport] [verification] [signing] [storage] [service] [haptics]
///         [strings]
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
    var wanted = Array(CommandLine.arguments.dropFirst())
    let isJSON = wanted.contains("--json")
    wanted.removeAll { $0 == "--json" }
    guard wanted.allSatisfy({ name in groups.contains { $0.name == name } }) else {
      note("usage: tessera-bench [--json] [\(groups.map(\.name).joined(separator: "] ["))]")
      exit(2)
    }
    setenv("TSS2_LOG", "all+NONE", 0)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tessera-bench-\(getpid())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    setenv("XDG_DATA_HOME", folder, 1)
    var all: [Measurement] = []
    for group in groups where wanted.isEmpty || wanted.contains(group.name) {
      let measurements = try await group.run(folder)
      if !isJSON { for measurement in measurements { print(measurement) } }
      all += measurements
    }
    guard isJSON else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    print(String(decoding: try encoder.encode(all), as: UTF8.self))
  }
}
