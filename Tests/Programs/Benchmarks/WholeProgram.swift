import BenchmarkPage
import Foundation

/// The rows of a release program as a whole, which the script `program` beside this file measures.
enum WholeProgram {
  private struct Row: Decodable {
    let name: String
    let unit: BenchmarkUnit
    let value: Double
    let floor: Double?
    let floorName: String?
    let goal: Double?
  }

  struct Failed: Error, CustomStringConvertible {
    let status: Int32
    var description: String { "Tests/Programs/Benchmarks/program ended with status \(status)." }
  }

  static func run(_ program: String) throws -> [Measurement] {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("program").path
    let result = try ChildProcess.run("/usr/bin/python3", [script, "--json", program], showsErrors: true)
    guard result.status == 0 else { throw Failed(status: result.status) }
    return try result.output.split(separator: "\n").map { line in
      let row = try JSONDecoder().decode(Row.self, from: Data(line.utf8))
      return Measurement(row.name, row.value, row.unit, floor: row.floor, of: row.floorName, goal: row.goal)
    }
  }
}
