import FleetLab
import Glibc
import TesseraThreads
import TestSupport

/// Processor time and resident memory of the lab's processes, sampled every second.
final class ProcessSamples: Sendable {
  /// One look at a process.
  struct Sample {
    /// Milliseconds since the process began.
    let processorTime: Int
    /// Kilobytes.
    let residentMemory: Int

    /// nil if the process has ended.
    init?(_ process: Int32) {
      // The name may contain spaces and parentheses.
      let fields = Descendants.text("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
      guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else { return nil }
      let memory = Descendants.text("/proc/\(process)/status").split(separator: "\n")
        .first { $0.hasPrefix("VmRSS:") }?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
      guard let memory else { return nil }
      processorTime = (user + system) * 1000 / max(1, sysconf(Int32(_SC_CLK_TCK)))
      residentMemory = memory
    }
  }

  /// A process, from one start to its end.
  struct Life {
    let name: String
    var samples: [Sample]

    /// The mean memory of the first and of the last third, in MB; nil after fewer than thirty samples.
    var thirds: (first: Double, last: Double)? {
      guard samples.count >= 30 else { return nil }
      func mean(_ samples: some Collection<Sample>) -> Double {
        Double(samples.map(\.residentMemory).reduce(0, +)) / Double(samples.count) / 1024
      }
      return (mean(samples.prefix(samples.count / 3)), mean(samples.suffix(samples.count / 3)))
    }

    /// Between the first and the last sample, in milliseconds.
    var processorTime: Int { (samples.last?.processorTime ?? 0) - (samples.first?.processorTime ?? 0) }

    /// Megabytes.
    var peak: Int { (samples.map(\.residentMemory).max() ?? 0) / 1024 }
  }

  private let processes: @Sendable () -> [LoadProcess]
  private let state = Locked<[Int32: Life]>([:])

  init(_ processes: @escaping @Sendable () -> [LoadProcess]) { self.processes = processes }

  /// Forgets the earlier samples and takes the first ones.
  func begin() {
    state.withLock { $0 = [:] }
    take()
  }

  /// Takes one sample of each process.
  func take() {
    for process in processes() {
      guard let identifier = process.identifier, let sample = Sample(identifier) else { continue }
      state.withLock { $0[identifier, default: Life(name: process.name, samples: [])].samples.append(sample) }
    }
  }

  /// Takes samples until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      take()
      try? await Task.sleep(for: .seconds(1))
    }
  }

  /// The processes whose names begin with this letter.
  func lives(_ letter: Character) -> [Life] {
    state.withLock { $0.values.filter { $0.name.first == letter } }.sorted { $0.name < $1.name }
  }

  /// The processor time of all of them, in milliseconds.
  func processorTime(_ letter: Character) -> Int { lives(letter).map(\.processorTime).reduce(0, +) }

  /// The mean of their highest resident memory, in megabytes.
  func memory(_ letter: Character) -> Int {
    let lives = lives(letter)
    return lives.isEmpty ? 0 : lives.map(\.peak).reduce(0, +) / lives.count
  }

  /// The resident memory of all of them at the first sample, in kilobytes.
  func initialMemory(_ letter: Character) -> Int {
    lives(letter).compactMap(\.samples.first?.residentMemory).reduce(0, +)
  }
}
