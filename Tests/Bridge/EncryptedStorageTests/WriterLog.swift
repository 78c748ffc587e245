import Foundation
import TestSupport

/// The parsed output of the program `EntryWriter`.
struct WriterLog {
  static let program = ProgramRun.built("EntryWriter")

  struct Change {
    let task: Int
    /// `*` for all names.
    let name: String
    /// `-` for a removal.
    let digest: String
    var isAcknowledged = false
  }

  private(set) var changes: [Change] = []
  private(set) var isComplete = false

  var acknowledged: Int { changes.count(where: \.isAcknowledged) }

  init(_ output: String) {
    /// The pending change of each task.
    var open: [Int: Int] = [:]
    // Ignores an incomplete line of a killed process.
    for line in output.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let words = line.split(separator: " ").map(String.init)
      switch words.first {
      case "begin" where words.count == 4:
        guard let task = Int(words[1]) else { continue }
        open[task] = changes.count
        changes.append(Change(task: task, name: words[2], digest: words[3]))
      case "done" where words.count == 2:
        guard let index = Int(words[1]).flatMap({ open.removeValue(forKey: $0) }) else { continue }
        changes[index].isAcknowledged = true
      case "end": isComplete = true
      default: continue
      }
    }
  }

  /// All acknowledged values of a task, by name.
  func digests(_ task: Int) -> [String: [String]] {
    changes.filter { $0.task == task && $0.isAcknowledged && $0.digest != "-" }
      .reduce(into: [:]) { $0[$1.name, default: []].append($1.digest) }
  }
}
