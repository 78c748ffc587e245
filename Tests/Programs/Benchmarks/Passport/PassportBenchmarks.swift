import Tessera

/// Reading and verifying a document with the size of a real one.
enum PassportBenchmarks {
  static func run(_ folder: String) async throws -> [Measurement] {
    let document = try MeasuredDocument()
    return try await ReadingBenchmark.run(document) + SecureMessagingBenchmark.run()
      + PassiveAuthenticationBenchmark.run(document) + PeakMemory.run(document)
  }
}
