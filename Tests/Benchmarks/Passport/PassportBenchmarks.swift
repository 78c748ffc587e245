import Tessera

/// Reading and judging documents, all over one document whose size is that of a real one.
enum PassportBenchmarks {
  static func run(_ folder: String) async throws -> [Measurement] {
    let document = try MeasuredDocument()
    return try await ReadingBenchmark.run(document) + SecureMessagingBenchmark.run()
      + PassiveAuthenticationBenchmark.run(document) + PeakMemory.run(document)
  }
}
