public import TestSupport

/// The results of all cases through all transports, by method.
public struct ParityMatrix: Sendable {
  /// The mismatches, with the names of their cases.
  public private(set) var failures: [String] = []
  /// The methods of the protocol without a case.
  public private(set) var missing: [String] = []
  private let transports: [String]
  private var cells: [String: [String: (passed: Int, all: Int)]] = [:]

  public static func run(_ cases: [Vector], through transports: [any BridgeTransport]) async throws -> ParityMatrix {
    var matrix = ParityMatrix(transports: transports.map(\.name))
    for vector in cases {
      for transport in transports {
        let mismatches = try await VectorCase(vector).mismatches(through: transport)
        matrix.failures += mismatches.map { "\(vector.id), \(transport.name): \($0)" }
        matrix.count(BridgeVectors.target(vector) ?? "(envelope)", transport.name, passes: mismatches.isEmpty)
      }
    }
    let coverage = BridgeVectors.fixture["methodCoverage"]
    for domain in coverage.keys where domain != "custody" {
      matrix.missing += coverage[domain].list.map { "\(domain).\($0.text)" }.filter { matrix.cells[$0] == nil }
    }
    return matrix
  }

  private init(transports: [String]) { self.transports = transports }

  private mutating func count(_ target: String, _ transport: String, passes: Bool) {
    let (passed, all) = cells[target]?[transport] ?? (0, 0)
    cells[target, default: [:]][transport] = (passed + (passes ? 1 : 0), all + 1)
  }

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
