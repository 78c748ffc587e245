import Tessera

/// Reading the measured document: the number of exchanges, and the reader's processor time from the first command to
/// the parsed files.
enum ReadingBenchmark {
  static func run(_ document: MeasuredDocument) async throws -> [Measurement] {
    var rows: [Measurement] = []
    // Before any other read. Only the document was generated before.
    let first = Double(try await read(document, .bac).nanoseconds) / 1_000_000
    for mode in [ReadingMode.bac, .paceShort, .paceOf4KB, .paceOfWholeFiles] {
      let floor = Double(mode.fewestExchanges(for: document.lengths))
      rows.append(
        Measurement(
          "exchanges, \(mode.name)", Double(try await read(document, mode).exchanges), .exchanges, floor: floor,
          of: "fewest that the files' lengths permit", goal: floor + 2))
    }
    let goals = [
      ("BAC and read", ReadingMode.bac, 1.6), ("PACE secp256r1 and read", .paceShort, 1.0),
      ("PACE secp256r1 and read, whole files", .paceOfWholeFiles, 1.0),
      ("PACE brainpoolP256r1 and read", .paceBrainpool, 2.6),
    ]
    var warm: Double?
    for (name, mode, goal) in goals {
      let floor = try OpenSSLReading(mode, document.lengths)
      var times = (ours: [Int](), floor: [Int]())
      // Alternately, because the machine's speed drifts; the first ones are for warming up.
      for index in 0..<111 {
        let ours = try await read(document, mode).nanoseconds
        let start = ProcessorTime.now
        try floor.run()
        let alone = ProcessorTime.now - start - ProcessorTime.costOfLooking
        guard index >= 10 else { continue }
        times.ours.append(ours)
        times.floor.append(alone)
      }
      let median = ProcessorTime.median(times.ours)
      warm = warm ?? median
      rows.append(
        Measurement(
          "\(name), computing", median, .milliseconds, floor: ProcessorTime.median(times.floor), of: "OpenSSL alone",
          goal: goal))
    }
    if let warm {
      rows.append(
        Measurement(
          "first BAC and read of the process, computing", first, .milliseconds, floor: warm, of: "the next reads",
          goal: 2 * warm))
    }
    return rows
  }

  private static func read(
    _ document: MeasuredDocument, _ mode: ReadingMode
  ) async throws -> (exchanges: Int, nanoseconds: Int) {
    let chip = MeteredChip(try document.chip(mode.profile))
    let start = ProcessorTime.now
    let dump = try await Inspection.read(chip.card, document.request)
    let time = ProcessorTime.now - start - ProcessorTime.costOfLooking - chip.foreignTime
    guard MeasuredDocument.fileNames.allSatisfy({ dump[$0] == document.files[$0] }) else { throw WrongFiles() }
    return (chip.exchanges, time)
  }

  struct WrongFiles: Error {}
}
