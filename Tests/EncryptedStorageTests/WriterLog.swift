import Foundation
import TestSupport

/// What the program `EntryWriter` told.
struct WriterLog {
  static let program = ProgramRun.built("EntryWriter")

  struct Change {
    let lane: Int
    /// `*` for all.
    let name: String
    /// `-` for none.
    let digest: String
    var isAcknowledged = false
  }

  private(set) var changes: [Change] = []
  private(set) var isComplete = false

  var acknowledged: Int { changes.count(where: \.isAcknowledged) }

  init(_ output: String) {
    /// What a lane has begun and not ended.
    var open: [Int: Int] = [:]
    // A line that a killed process did not end is none.
    for line in output.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let words = line.split(separator: " ").map(String.init)
      switch words.first {
      case "begin" where words.count == 4:
        guard let lane = Int(words[1]) else { continue }
        open[lane] = changes.count
        changes.append(Change(lane: lane, name: words[2], digest: words[3]))
      case "done" where words.count == 2:
        guard let index = Int(words[1]).flatMap({ open.removeValue(forKey: $0) }) else { continue }
        changes[index].isAcknowledged = true
      case "end": isComplete = true
      default: continue
      }
    }
  }

  /// All values that were acknowledged under each name of a lane.
  func digests(_ lane: Int) -> [String: [String]] {
    changes.filter { $0.lane == lane && $0.isAcknowledged && $0.digest != "-" }
      .reduce(into: [:]) { $0[$1.name, default: []].append($1.digest) }
  }
}
