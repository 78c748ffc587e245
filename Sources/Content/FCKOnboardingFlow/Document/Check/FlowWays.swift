import TesseraJSON

/// Where the presses of a flow lead.
struct FlowWays {
  private enum Way: Hashable {
    case screen(Int)
    case back
    case end
  }

  /// By the index of the screen: whether a press leads to another screen or to the end. Nothing is before the first one.
  let hasWayOut: [Bool]
  /// By the index of the screen: whether presses lead there from the first one.
  let isReachable: [Bool]
  /// Whether presses lead from the first screen to the end.
  let ends: Bool

  init(_ config: FlowConfig) {
    var indices: [UTF8Text: Int] = [:]
    for (index, screen) in config.screens.enumerated() { indices[UTF8Text(screen.id)] = index }
    let ways = config.screens.enumerated().map { index, screen in
      var ways: Set<Way> = []
      for element in screen.root.flattened {
        switch TapPlan(element).destination {
        case .next: ways.insert(index + 1 < config.screens.count ? .screen(index + 1) : .end)
        case .screen(let id): if let target = indices[UTF8Text(id)], target != index { ways.insert(.screen(target)) }
        case .back: if index > 0 { ways.insert(.back) }
        case .skip, .complete: ways.insert(.end)
        case nil: break
        }
      }
      return ways
    }
    hasWayOut = ways.map { !$0.isEmpty }
    var isReachable = config.screens.map { _ in false }
    // `back` leads only to where the person was.
    var waiting = config.screens.isEmpty ? [] : [0]
    var ends = false
    while let index = waiting.popLast() {
      guard !isReachable[index] else { continue }
      isReachable[index] = true
      for way in ways[index] {
        switch way {
        case .screen(let target): waiting.append(target)
        case .end: ends = true
        case .back: break
        }
      }
    }
    self.isReachable = isReachable
    self.ends = ends
  }
}
