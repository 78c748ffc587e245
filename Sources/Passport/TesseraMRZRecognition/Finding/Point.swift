internal import TesseraPictures

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
