import BenchmarkPage
import Foundation

/// One row: a measured value, a value to compare it with from the same run, and the goal.
struct Measurement: Encodable {
  typealias Unit = BenchmarkUnit

  let name: String
  let unit: Unit
  let value: Double
  /// The same work without this package, or a lower bound, and its name.
  let floor: Double?
  let floorName: String?
  let goal: Double?
  /// Nil if there is no goal.
  let meetsGoal: Bool?

  init(
    _ name: String, _ value: Double, _ unit: Unit, floor: Double? = nil, of floorName: String? = nil,
    goal: Double? = nil
  ) {
    self.name = name
    self.unit = unit
    self.value = value
    self.floor = floor
    self.floorName = floorName
    self.goal = goal
    meetsGoal = goal.map { unit.moreIsBetter ? value >= $0 : value <= $0 }
  }
}

extension Measurement: CustomStringConvertible {
  /// The row as text, in columns.
  var description: String {
    var parts = [Self.padded(name, to: 60) + Self.column(value, unit)]
    if let floor, let floorName { parts.append("\(floorName)\(Self.column(floor, unit))") }
    if let goal { parts.append("goal\(Self.column(goal, unit))\(meetsGoal == true ? "" : ", missed")") }
    return parts.joined(separator: "   ")
  }

  private static func column(_ value: Double, _ unit: Unit) -> String {
    let digits =
      switch unit {
      case .exchanges, .perSecond: 0
      case .mebibytes, .millions: 1
      case .milliseconds: 3
      }
    let text = String(format: "%.\(digits)f \(unit.rawValue)", value)
    return String(repeating: " ", count: max(1, 14 - text.count)) + text
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

/// Writes a note to standard error, for example the reason for missing rows.
func note(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
