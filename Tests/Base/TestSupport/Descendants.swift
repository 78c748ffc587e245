import FoundationEssentials
import Glibc

/// The processes that a process started, directly or not.
public enum Descendants {
  public static func all(of process: pid_t = getpid()) -> [pid_t] {
    var parents: [pid_t: pid_t] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard let child = pid_t(name), let parent = parent(of: child) else { continue }
      parents[child] = parent
    }
    var found: [pid_t] = []
    var next = [process]
    while !next.isEmpty {
      next = parents.filter { next.contains($0.value) }.map(\.key)
      found += next
    }
    return found
  }

  /// - Parameter name: the name of the program; the kernel keeps 15 bytes of it.
  public static func named(_ name: String, of process: pid_t = getpid()) -> [pid_t] {
    all(of: process).filter { text("/proc/\($0)/comm").hasPrefix(name.prefix(15)) }
  }

  private static func parent(of process: pid_t) -> pid_t? {
    // The name may contain spaces and parentheses.
    let fields = text("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
    return fields.count > 1 ? pid_t(fields[1]) : nil
  }

  /// The content of a file of `/proc`; empty if there is none.
  public static func text(_ path: String) -> String {
    (try? Data(contentsOf: URL(fileURLWithPath: path))).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
