/// Components by the place where they are, for questions about neighbours.
struct ComponentGrid {
  let centers: [Point]
  let sizes: [Float]
  private let columns: Int
  private let rows: Int
  /// Where the components of each cell begin in `members`, row by row, and where those of the last cell end.
  private let starts: [Int32]
  private let members: [Int32]
  private static let side: Float = 24

  init(_ components: [InkComponent], width: Int, height: Int) {
    centers = components.map(\.center)
    sizes = components.map(\.size)
    let columns = width / Int(Self.side) + 1
    let rows = height / Int(Self.side) + 1
    (self.columns, self.rows) = (columns, rows)
    let cells = centers.map { Int($0.y / Self.side) * columns + Int($0.x / Self.side) }
    var starts = [Int32](repeating: 0, count: columns * rows + 1)
    for cell in cells { starts[cell + 1] += 1 }
    for cell in 0..<(columns * rows) { starts[cell + 1] += starts[cell] }
    var next = starts
    var members = [Int32](repeating: 0, count: cells.count)
    for (index, cell) in cells.enumerated() {
      members[Int(next[cell])] = Int32(index)
      next[cell] += 1
    }
    (self.starts, self.members) = (starts, members)
  }

  /// Calls `body` with each component of a size whose centre is within `radius` of `point`, until it returns false.
  @inline(__always)
  func forEach(near point: Point, within radius: Float, sizes range: ClosedRange<Float>, _ body: (Int) -> Bool) {
    let (left, right) = (cell(point.x - radius, columns), cell(point.x + radius, columns))
    for row in cell(point.y - radius, rows)...cell(point.y + radius, rows) {
      // The cells of a row lie one after another.
      for member in starts[row * columns + left]..<starts[row * columns + right + 1] {
        let index = Int(members[Int(member)])
        let step = centers[index] - point
        guard step.x * step.x + step.y * step.y <= radius * radius, range.contains(sizes[index]) else { continue }
        guard body(index) else { return }
      }
    }
  }

  /// The component of a size whose centre is nearest to `point`, and within `radius` of it.
  func nearest(to point: Point, within radius: Float, sizes range: ClosedRange<Float>) -> Int? {
    var nearest: (index: Int, distance: Float)?
    forEach(near: point, within: radius, sizes: range) { index in
      let distance = (centers[index] - point).length
      if distance < nearest?.distance ?? .infinity { nearest = (index, distance) }
      return true
    }
    return nearest?.index
  }

  /// How many components of a size have their centre within `radius` of `point`, counted up to `most`.
  func count(near point: Point, within radius: Float, sizes range: ClosedRange<Float>, most: Int) -> Int {
    var count = 0
    forEach(near: point, within: radius, sizes: range) { _ in
      count += 1
      return count < most
    }
    return count
  }

  private func cell(_ coordinate: Float, _ count: Int) -> Int {
    Int(min(max(coordinate / Self.side, 0), Float(count - 1)))
  }
}
