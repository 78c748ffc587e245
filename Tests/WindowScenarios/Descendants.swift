import FoundationEssentials
import Glibc

/// The processes that this one started, directly or not.
enum Descendants {
  static func all() -> [pid_t] {
    var parents: [pid_t: pid_t] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard let process = pid_t(name), let parent = parent(of: process) else { continue }
      parents[process] = parent
    }
    var found: [pid_t] = []
    var next = [getpid()]
    while !next.isEmpty {
      next = parents.filter { next.contains($0.value) }.map(\.key)
      found += next
    }
    return found
  }

  static func named(_ name: String) -> [pid_t] { all().filter { text("/proc/\($0)/comm").hasPrefix(name.prefix(15)) } }

  private static func parent(of process: pid_t) -> pid_t? {
    // The name may contain spaces and parentheses.
    let fields = text("/proc/\(process)/stat").split(separator: ")").last?.split(separator: " ") ?? []
    return fields.count > 1 ? pid_t(fields[1]) : nil
  }

  static func text(_ path: String) -> String {
    (try? Data(contentsOf: URL(fileURLWithPath: path))).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
