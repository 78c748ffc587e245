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
