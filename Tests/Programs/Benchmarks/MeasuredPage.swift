import BenchmarkPage
import Foundation

/// The article whose tables a run replaces.
struct MeasuredPage {
  struct MissingRows: Error, CustomStringConvertible {
    let description = "The page was not changed, because not all of its rows were measured."
  }

  let path: String

  /// Throws if the article cannot be read, or has not exactly one pair of marks.
  func check() throws { _ = try PageMarks.replacing(in: text(), with: "") }

  /// Reads the article again: a user may have changed it during the measurements. It is not replaced by a new file,
  /// so that it keeps its owner when root measures.
  func replace(with part: String) throws {
    let changed = try PageMarks.replacing(in: text(), with: part)
    try changed.write(toFile: path, atomically: false, encoding: .utf8)
  }

  private func text() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
}

extension MeasuredMachine {
  /// The machine of this run.
  static var current: MeasuredMachine {
    func content(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
    return MeasuredMachine(
      cpuInfo: content("/proc/cpuinfo"), osRelease: content("/etc/os-release"),
      kernel: content("/proc/sys/kernel/osrelease"), processorCount: ProcessInfo.processInfo.activeProcessorCount)
  }
}
