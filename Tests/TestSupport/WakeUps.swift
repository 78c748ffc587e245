import Foundation

/// How often the threads of a process went to sleep, and so were woken, by the kernel's count.
///
/// One thread of every Swift program on Linux is woken each second, whatever the program does: libdispatch counts the
/// runnable threads of its pools (`_dispatch_workq_monitor_pools`). That thread, which waits in `epoll_wait`, is left out
/// when it was woken no more often than that.
public enum WakeUps {
  /// - Parameter process: has been idle for some seconds, so that idle threads of a pool have ended.
  /// - Returns: how many there were in `seconds` from now, in all threads; a thread that ends counts as one.
  public static func count(of process: Int32, during seconds: Double) async throws -> Int {
    let before = counts(of: process)
    try await Task.sleep(for: .seconds(seconds))
    let after = counts(of: process)
    let monitored = manager(of: process).flatMap { thread in
      (after[thread] ?? 0) - (before[thread] ?? 0) <= Int(seconds) + 2 ? thread : nil
    }
    return before.filter { after[$0.key] == nil }.count
      + after.reduce(0) { sum, thread in
        thread.key == monitored ? sum : sum + thread.value - (before[thread.key] ?? 0)
      }
  }

  /// libdispatch's own thread.
  private static func manager(of process: Int32) -> String? {
    let folder = "/proc/\(process)/task"
    func text(_ thread: String, _ file: String) -> String {
      String(decoding: FileManager.default.contents(atPath: "\(folder)/\(thread)/\(file)") ?? Data(), as: UTF8.self)
    }
    return (try? FileManager.default.contentsOfDirectory(atPath: folder))?.first { thread in
      // The event loops of NIO wait there, too, and have names.
      text(thread, "wchan").hasSuffix("epoll_wait") && !text(thread, "comm").hasPrefix("NIO")
    }
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
