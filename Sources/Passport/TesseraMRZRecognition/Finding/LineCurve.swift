internal import TesseraPictures

/// Where the characters of a line are: a parabola through their centres, with the number of the character as parameter.
/// It follows perspective, and paper that is not flat.
struct LineCurve {
  private let origin: Float
  private let x: (Float, Float, Float)
  private let y: (Float, Float, Float)

  /// Fits the points, without those that are far from the others' curve.
  ///
  /// nil for fewer than three points, or if they are at fewer than three places.
  init?(_ points: [(place: Float, center: Point)]) {
    guard var fit = Self(fitting: points) else { return nil }
    for _ in 0..<2 {
      let limit = 0.3 * fit.direction(at: fit.origin).length
      let near = points.filter { (fit.center(at: $0.place) - $0.center).length < limit }
      guard near.count < points.count, near.count >= 6, let better = Self(fitting: near) else { break }
      fit = better
    }
    self = fit
  }

  private init?(fitting points: [(place: Float, center: Point)]) {
    guard points.count >= 3 else { return nil }
    let origin = points.reduce(0) { $0 + $1.place } / Float(points.count)
    var system = LinearSystem(unknowns: 3, rightSides: 2)
    for point in points {
      let place = point.place - origin
      system.add([1, Double(place), Double(place * place)], equals: [Double(point.center.x), Double(point.center.y)])
    }
    guard let solution = system.solved() else { return nil }
    self.origin = origin
    x = (Float(solution[0][0]), Float(solution[1][0]), Float(solution[2][0]))
    y = (Float(solution[0][1]), Float(solution[1][1]), Float(solution[2][1]))
  }

  func center(at place: Float) -> Point {
    let t = place - origin
    return Point(x.0 + t * (x.1 + t * x.2), y.0 + t * (y.1 + t * y.2))
  }

  /// The vector from one character to the next.
  func direction(at place: Float) -> Point {
    let t = place - origin
    return Point(x.1 + 2 * t * x.2, y.1 + 2 * t * y.2)
  }
}

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

/// A point of a picture, or a vector between two: x to the right, y down, in pixels.
public struct Point: Sendable, Equatable {
  public var x: Float
  public var y: Float

  public init(_ x: Float, _ y: Float) {
    self.x = x
    self.y = y
  }

  var length: Float { (x * x + y * y).squareRoot() }
  /// The vector turned by a right angle: "down" for a vector that points in the direction of reading.
  var turned: Point { Point(-y, x) }

  static func + (left: Point, right: Point) -> Point { Point(left.x + right.x, left.y + right.y) }
  static func - (left: Point, right: Point) -> Point { Point(left.x - right.x, left.y - right.y) }
  static func * (vector: Point, factor: Float) -> Point { Point(vector.x * factor, vector.y * factor) }
  static func / (vector: Point, divisor: Float) -> Point { Point(vector.x / divisor, vector.y / divisor) }
}

extension GrayPicture {
  func contains(_ point: Point) -> Bool {
    point.x >= 0 && point.y >= 0 && point.x < Float(width) && point.y < Float(height)
  }
}
