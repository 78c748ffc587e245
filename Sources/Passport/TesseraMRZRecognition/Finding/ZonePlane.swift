/// The projective map from the grid of a zone to the picture: columns are characters, rows are lines; character 0 of
/// line 0 has its centre at (0, 0).
struct ZonePlane {
  private let map: (Float, Float, Float, Float, Float, Float, Float, Float)

  /// Fits the centres of characters.
  init?(_ points: [(column: Float, row: Float, center: Point)]) {
    // With coordinates of about 1 the equations are well conditioned.
    let (columns, rows, pixels): (Double, Double, Double) = (44, 2, 1000)
    var system = LinearSystem(unknowns: 8, rightSides: 1)
    for point in points {
      let (u, v) = (Double(point.column) / columns, Double(point.row) / rows)
      let (x, y) = (Double(point.center.x) / pixels, Double(point.center.y) / pixels)
      system.add([u, v, 1, 0, 0, 0, -u * x, -v * x], equals: [x])
      system.add([0, 0, 0, u, v, 1, -u * y, -v * y], equals: [y])
    }
    guard points.count >= 8, let solution = system.solved() else { return nil }
    let h = solution.map { $0[0] }
    func scaled(_ index: Int, _ divisor: Double, _ factor: Double) -> Float { Float(h[index] / divisor * factor) }
    map = (
      scaled(0, columns, pixels), scaled(1, rows, pixels), scaled(2, 1, pixels),
      scaled(3, columns, pixels), scaled(4, rows, pixels), scaled(5, 1, pixels),
      scaled(6, columns, 1), scaled(7, rows, 1)
    )
  }

  func center(column: Float, row: Float) -> Point {
    let divisor = map.6 * column + map.7 * row + 1
    // The horizon of the plane is far outside of the picture; a value here keeps coordinates finite.
    let safe = abs(divisor) < 0.05 ? 0.05 : divisor
    return Point(
      (map.0 * column + map.1 * row + map.2) / safe, (map.3 * column + map.4 * row + map.5) / safe)
  }

  /// The distance between two lines of the zone at a place, as a vector.
  func down(column: Float, row: Float) -> Point {
    center(column: column, row: row + 0.5) - center(column: column, row: row - 0.5)
  }
}
