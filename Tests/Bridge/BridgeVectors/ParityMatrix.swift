public import TestSupport

/// The results of all cases through all transports, by method.
public struct ParityMatrix: Sendable {
  /// The mismatches, with the names of their cases.
  public private(set) var failures: [String] = []
  private let transports: [String]
  private var cells: [String: [String: (passed: Int, all: Int)]] = [:]

  public static func run(_ cases: [Vector], through transports: [any BridgeTransport]) async throws -> ParityMatrix {
    var matrix = ParityMatrix(transports: transports.map(\.name))
    for vector in cases {
      for transport in transports {
        let mismatches = try await VectorCase(vector).mismatches(through: transport)
        matrix.add(vector, transport.name, mismatches)
      }
    }
    return matrix
  }

  /// - Parameter transports: the names of the columns.
  init(transports: [String]) { self.transports = transports }

  /// Adds the result of one case through one transport.
  mutating func add(_ vector: Vector, _ transport: String, _ mismatches: [String]) {
    failures += mismatches.map { "\(vector.id), \(transport): \($0)" }
    let target = BridgeVectors.target(vector) ?? "(envelope)"
    let (passed, all) = cells[target]?[transport] ?? (0, 0)
    cells[target, default: [:]][transport] = (passed + (mismatches.isEmpty ? 1 : 0), all + 1)
  }

  /// The methods of the protocol without a case.
  public var missing: [String] {
    let coverage = BridgeVectors.fixture["methodCoverage"]
    return coverage.keys.filter { $0 != "custody" }.flatMap { domain in
      coverage[domain].list.map { "\(domain).\($0.text)" }.filter { cells[$0] == nil }
    }
  }

  /// How many cases each method had through a transport; methods without one are left out.
  public func counts(_ transport: String) -> [String: Int] { cells.compactMapValues { $0[transport]?.all } }

  /// A table with one row per method and one column per transport: the number of passed cases.
  public var text: String {
    let width = (cells.keys.map(\.count).max() ?? 0) + 2
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(1, width - text.count))
    }
    var lines = [padded("domain.method", width) + transports.map { padded($0, 14) }.joined()]
    for target in cells.keys.sorted() {
      let row = transports.map { transport in
        let (passed, all) = cells[target]?[transport] ?? (0, 0)
        return padded(passed == all ? "ok \(passed)" : "\(passed) of \(all)", 14)
      }
      lines.append(padded(target, width) + row.joined())
    }
    return lines.joined(separator: "\n")
  }
}
