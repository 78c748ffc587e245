import FleetLab
import TesseraFleet

/// One row of the table: the reads of a phase, and what they cost.
struct PhaseRow {
  let name: String
  let inspectors: Int
  let desks: Int
  let entries: [LoadEntry]
  let time: Duration
  /// The processor time of the processes with desks, in milliseconds.
  let deskTime: Int
  let samples: ProcessSamples
  /// The memory before the first read, in kilobytes: of all processes with desks, and of all servers.
  let idleMemory: (desks: Int, servers: Int)

  private static let titles = [
    "phase", "inspectors", "desks", "reads", "reads/s", "witnessed p50/p90/p99/max ms", "remote p50/p90/p99/max ms",
    "CPU ms a read: desk inspector servers", "peak MB: desks inspector server",
  ]
  init(
    name: String, inspectors: Int, desks: Int, entries: [LoadEntry], time: Duration, deskTime: Int,
    samples: ProcessSamples
  ) {
    self.name = name
    self.inspectors = inspectors
    self.desks = desks
    self.entries = entries
    self.time = time
    self.deskTime = deskTime
    self.samples = samples
    // The samples begin while the desks are connected and idle.
    idleMemory = (samples.initialMemory("p"), samples.initialMemory("n"))
  }

  private static let widths = [8, 7, 5, 6, 7, 28, 27, 34, 27]

  static var header: String { line(titles) }

  private static func line(_ columns: [String]) -> String {
    zip(columns, widths).map { text, width in
      String(repeating: " ", count: max(0, width - text.count)) + text
    }.joined(separator: "  ")
  }

  /// Reads in a second.
  var rate: Double { Double(entries.count { $0.event != .began }) / max(0.001, time / .seconds(1)) }

  var text: String {
    let ended = entries.filter { $0.event != .began }
    let count = max(1, ended.count)
    func latencies(_ mode: FleetReadingMode) -> String {
      // The chip of this profile waits eleven seconds in each read.
      Latencies(ended.filter { $0.mode == mode && $0.profile != "fault-slow" }.compactMap(\.milliseconds)).text
    }
    func perRead(_ milliseconds: Int) -> String { Decimal.text(Double(milliseconds) / Double(count)) }
    return Self.line([
      name, "\(inspectors)", "\(desks)", "\(ended.count)",
      Decimal.text(rate),
      latencies(.witnessed), latencies(.remote),
      [deskTime, samples.processorTime("i"), samples.processorTime("n")].map(perRead).joined(separator: " "),
      (["p", "i", "n"] as [Character]).map { "\(samples.memory($0))" }.joined(separator: " "),
    ])
  }
}

/// A number with one decimal place.
enum Decimal {
  static func text(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(abs(tenths % 10))"
  }
}
