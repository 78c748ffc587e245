public import TestSupport

/// Which methods of which domains hold through which doors: every case through every one of them.
public struct ParityMatrix: Sendable {
  /// What did not hold, with the case's name.
  public private(set) var failures: [String] = []
  /// Methods of the protocol for which there was no case.
  public private(set) var missing: [String] = []
  private let doors: [String]
  private var cells: [String: [String: (held: Int, all: Int)]] = [:]

  public static func run(_ cases: [Vector], through doors: [any BridgeDoor]) async throws -> ParityMatrix {
    var matrix = ParityMatrix(doors: doors.map(\.name))
    for vector in cases {
      for door in doors {
        let mismatches = try await VectorCase(vector).mismatches(through: door)
        matrix.failures += mismatches.map { "\(vector.id), \(door.name): \($0)" }
        matrix.count(BridgeVectors.target(vector) ?? "(envelope)", door.name, holds: mismatches.isEmpty)
      }
    }
    let coverage = BridgeVectors.fixture["methodCoverage"]
    for domain in coverage.keys where domain != "custody" {
      matrix.missing += coverage[domain].list.map { "\(domain).\($0.text)" }.filter { matrix.cells[$0] == nil }
    }
    return matrix
  }

  private init(doors: [String]) { self.doors = doors }

  private mutating func count(_ target: String, _ door: String, holds: Bool) {
    let (held, all) = cells[target]?[door] ?? (0, 0)
    cells[target, default: [:]][door] = (held + (holds ? 1 : 0), all + 1)
  }

  /// One row a method, one column a door: cases that hold of all cases.
  public var text: String {
    let width = (cells.keys.map(\.count).max() ?? 0) + 2
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(1, width - text.count))
    }
    var lines = [padded("domain.method", width) + doors.map { padded($0, 14) }.joined()]
    for target in cells.keys.sorted() {
      let row = doors.map { door in
        let (held, all) = cells[target]?[door] ?? (0, 0)
        return padded(held == all ? "ok \(held)" : "\(held) of \(all)", 14)
      }
      lines.append(padded(target, width) + row.joined())
    }
    return lines.joined(separator: "\n")
  }
}
