import FCKOnboardingFlow

/// Where the children of a stack are, in whole pixels of the desktop. The rules are those of a flexbox in one line, and
/// the HTML back end says the same in CSS.
struct StackArrangement: Equatable {
  /// What one child asks for, margins included. Lengths are along the axis (`main`) or across it (`cross`).
  struct Item: Equatable {
    /// The smallest length along the axis.
    var minimum: Int
    /// The wanted length along the axis.
    var natural: Int
    /// Whether the child takes what the others leave.
    var fills = false
  }

  /// The position and the length of one child along the axis.
  struct Place: Equatable {
    var offset: Int
    var length: Int
  }

  let places: [Place]

  /// - Parameters:
  ///   - available: the length of the stack along the axis.
  ///   - spacing: between two children.
  init(_ items: [Item], available: Int, spacing: Int, distribution: FlowStack.Distribution) {
    let gaps = spacing * max(0, items.count - 1)
    let lengths = Self.lengths(items, available: max(0, available - gaps))
    let free = max(0, available - gaps - lengths.reduce(0, +))
    let count = items.count
    var places: [Place] = []
    var sum = 0
    for (index, length) in lengths.enumerated() {
      places.append(Place(offset: sum + Self.shift(of: index, in: count, free, distribution), length: length))
      sum += length + spacing
    }
    self.places = places
  }

  /// How far the distribution moves a child, of `count` of them, when `free` pixels are left.
  private static func shift(of index: Int, in count: Int, _ free: Int, _ distribution: FlowStack.Distribution) -> Int {
    switch distribution {
    case .start: 0
    case .center: free / 2
    case .end: free
    case .spaceBetween: count > 1 ? free * index / (count - 1) : 0
    case .spaceAround: free * (2 * index + 1) / (2 * max(1, count))
    case .spaceEvenly: free * (index + 1) / (count + 1)
    }
  }

  /// The lengths of all children: what they want if there is room, and otherwise less, down to their minimum.
  private static func lengths(_ items: [Item], available: Int) -> [Int] {
    var lengths = items.map { max($0.minimum, $0.natural) }
    let rest = available - lengths.reduce(0, +)
    if rest > 0 {
      let filling = items.indices.filter { items[$0].fills }
      for (position, index) in filling.enumerated() {
        lengths[index] += rest * (position + 1) / filling.count - rest * position / filling.count
      }
    } else if rest < 0 {
      shrink(&lengths, items, by: -rest)
    }
    return lengths
  }

  /// Each child gives in proportion to its length, as in a flexbox. One that is at its minimum gives no more, and the
  /// others give its part.
  private static func shrink(_ lengths: inout [Int], _ items: [Item], by missing: Int) {
    var missing = missing
    while missing > 0 {
      let giving = items.indices.filter { lengths[$0] > items[$0].minimum }
      let total = giving.reduce(0) { $0 + lengths[$1] }
      guard total > 0 else { return }
      var (before, given) = (0, 0)
      for index in giving {
        let length = lengths[index]
        let share = missing * (before + length) / total - missing * before / total
        before += length
        let part = min(share, length - items[index].minimum)
        lengths[index] -= part
        given += part
      }
      // Shares of less than one pixel.
      if given == 0, let index = giving.first {
        lengths[index] -= 1
        given = 1
      }
      missing -= given
    }
  }
}
