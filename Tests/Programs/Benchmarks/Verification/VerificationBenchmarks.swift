import Tessera

/// Verifying lists of country signers and saved dumps.
enum VerificationBenchmarks {
  static func run(_ folder: String) async throws -> [Measurement] {
    let dumps = try await MeasuredDumps(folder)
    return try TrustBenchmark.run(folder) + DumpBenchmark.run(dumps) + ManyDumps.run(dumps)
  }
}
