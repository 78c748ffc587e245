import Foundation

/// The wake-ups of a process: the kernel's count of voluntary context switches of its threads.
public enum WakeUps {
  /// - Parameter process: It must have been idle for some seconds, so that idle threads of a pool have ended.
  /// - Returns: The wake-ups of all threads during `seconds`; a thread that ends counts as one.
  public static func count(of process: Int32, during seconds: Double) async throws -> Int {
    let before = counts(of: process)
    try await Task.sleep(for: .seconds(seconds))
    let after = counts(of: process)
    return before.filter { after[$0.key] == nil }.count
      + after.reduce(0) { sum, thread in sum + thread.value - (before[thread.key] ?? 0) }
  }

  private static func counts(of process: Int32) -> [String: Int] {
    let folder = "/proc/\(process)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var counts: [String: Int] = [:]
    for thread in threads {
      guard let status = FileManager.default.contents(atPath: "\(folder)/\(thread)/status") else { continue }
      let line = String(decoding: status, as: UTF8.self).split(separator: "\n").first {
        $0.hasPrefix("voluntary_ctxt_switches:")
      }
      counts[thread] = line?.split(separator: "\t").last.flatMap { Int($0) }
    }
    return counts
  }
}
