/// Components by the place where they are, for questions about neighbours.
struct ComponentGrid {
  private let components: [InkComponent]
  private let columns: Int
  private let rows: Int
  private let cells: [[Int32]]
  private static let side: Float = 24

  init(_ components: [InkComponent], width: Int, height: Int) {
    self.components = components
    columns = width / Int(Self.side) + 1
    rows = height / Int(Self.side) + 1
    var cells = [[Int32]](repeating: [], count: columns * rows)
    for (index, component) in components.enumerated() {
      let center = component.center
      cells[Int(center.y / Self.side) * columns + Int(center.x / Self.side)].append(Int32(index))
    }
    self.cells = cells
  }

  /// Calls `body` with each component whose centre is within `radius` of `point`.
  func forEach(near point: Point, within radius: Float, _ body: (Int) -> Void) {
    let left = cell(point.x - radius, columns)
    let right = cell(point.x + radius, columns)
    let top = cell(point.y - radius, rows)
    let bottom = cell(point.y + radius, rows)
    for row in top...bottom {
      for column in left...right {
        for index in cells[row * columns + column]
        where (components[Int(index)].center - point).length <= radius {
          body(Int(index))
        }
      }
    }
  }

  private func cell(_ coordinate: Float, _ count: Int) -> Int {
    Int(min(max(coordinate / Self.side, 0), Float(count - 1)))
  }
}
