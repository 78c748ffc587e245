import Foundation
import Glibc

/// The processes of this program: it, and those that WebKit started for it.
enum ProcessMemory {
  /// Those of this process and of all its descendants.
  private static var identifiers: [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    var parents: [Int32: Int32] = [:]
    for name in names {
      guard let identifier = Int32(name),
        let status = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
        let end = status.lastIndex(of: ")")
      else { continue }
      let fields = status[status.index(after: end)...].split(separator: " ")
      if fields.count > 1, let parent = Int32(fields[1]) { parents[identifier] = parent }
    }
    var found = [getpid()]
    var index = 0
    while index < found.count {
      found += parents.filter { $0.value == found[index] }.keys
      index += 1
    }
    return found
  }

  static var processes: Int { identifiers.count }

  /// The proportional set size of all of them, in kilobytes.
  static func proportional() -> Int {
    identifiers.reduce(0) { sum, identifier in
      let text = (try? String(contentsOfFile: "/proc/\(identifier)/smaps_rollup", encoding: .utf8)) ?? ""
      let line = text.split(separator: "\n").first { $0.hasPrefix("Pss:") }
      return sum + (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
    }
  }

  /// Kills the processes of pages.
  static func killPages() {
    for identifier in identifiers {
      let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(identifier)/exe")) ?? ""
      if program.hasSuffix("WebKitWebProcess") { kill(identifier, SIGKILL) }
    }
  }
}
