/// Compares the memory of each process in the first and in the last third of its life.
struct MemoryCheck {
  private let samples: ProcessSamples

  init(_ samples: ProcessSamples) { self.samples = samples }

  /// Prints the memory of each process.
  ///
  /// - Returns: the processes whose memory grew by more than a fifth and 24 MB.
  func report() -> [String] {
    var problems: [String] = []
    for life in (["i", "p", "n"] as [Character]).flatMap({ samples.lives($0) }) {
      guard let thirds = life.thirds else { continue }
      let text =
        "\(life.name): \(Decimal.text(thirds.first)) MB in the first third of \(life.samples.count) s, "
        + "\(Decimal.text(thirds.last)) MB in the last"
      Console.say("memory of " + text)
      if thirds.last > thirds.first * 1.2 + 24 { problems.append("the memory of " + text) }
    }
    return problems
  }
}
