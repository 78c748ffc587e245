/// The least squares solution of linear equations, by the normal equations.
struct LinearSystem {
  private let unknowns: Int
  private let rightSides: Int
  private var rows: [[Double]]

  init(unknowns: Int, rightSides: Int) {
    self.unknowns = unknowns
    self.rightSides = rightSides
    rows = Array(repeating: Array(repeating: 0, count: unknowns + rightSides), count: unknowns)
  }

  mutating func add(_ coefficients: [Double], equals values: [Double]) {
    for row in 0..<unknowns {
      for column in 0..<unknowns { rows[row][column] += coefficients[row] * coefficients[column] }
      for side in 0..<rightSides { rows[row][unknowns + side] += coefficients[row] * values[side] }
    }
  }

  /// One row for each unknown, one column for each right side; nil if the equations do not determine the unknowns.
  func solved() -> [[Double]]? {
    var rows = rows
    let scale = rows.indices.reduce(0) { max($0, abs(rows[$1][$1])) }
    for column in 0..<unknowns {
      guard let pivot = (column..<unknowns).max(by: { abs(rows[$0][column]) < abs(rows[$1][column]) }),
        abs(rows[pivot][column]) > 1e-12 * max(scale, 1e-300), rows[pivot][column].isFinite
      else { return nil }
      rows.swapAt(column, pivot)
      for row in 0..<unknowns where row != column {
        let factor = rows[row][column] / rows[column][column]
        for index in column..<(unknowns + rightSides) { rows[row][index] -= factor * rows[column][index] }
      }
    }
    return rows.indices.map { row in rows[row][unknowns...].map { $0 / rows[row][row] } }
  }
}
