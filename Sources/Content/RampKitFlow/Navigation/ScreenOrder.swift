internal import TesseraJSON

/// The way through the screens of a flow: which screen follows which.
package struct ScreenOrder: Sendable {
  package enum Step: Sendable, Equatable {
    /// The index of a screen.
    case screen(Int)
    /// Nothing follows the last screen: the flow is finished.
    case end
    /// Nothing precedes the first screen: the flow is closed.
    case start
  }

  /// The targets of `rampkit:navigate` that name no screen.
  package static let continueTarget = "__continue__"
  package static let goBackTarget = "__goBack__"

  private let ids: [UTF8Text]
  private let indices: [UTF8Text: Int]
  private let mainFlow: [UTF8Text]
  private let positions: [UTF8Text: FlowNavigation.Position]

  /// - Parameter navigation: nil if the screens follow each other as in the document.
  package init(_ ids: [String], _ navigation: FlowNavigation?) {
    self.ids = ids.map(UTF8Text.init)
    indices = Dictionary(ids.enumerated().map { (UTF8Text($1), $0) }) { first, _ in first }
    mainFlow = navigation?.mainFlow.map(UTF8Text.init).filter { [indices] in indices[$0] != nil } ?? []
    positions = Dictionary(navigation?.screenPositions.map { (UTF8Text($0), $1) } ?? []) { first, _ in first }
  }

  /// The screen after another one.
  package func continuing(from index: Int) -> Step { step(from: index, by: 1) }

  /// The screen before another one.
  package func goingBack(from index: Int) -> Step { step(from: index, by: -1) }

  /// The screen of an id, of `continueTarget` or of `goBackTarget`. A target that does not exist, or none, is the next
  /// screen: a button that does nothing would be worse.
  package func navigating(from index: Int, to target: String?) -> Step {
    switch target {
    case Self.goBackTarget: goingBack(from: index)
    case let target?: indices[UTF8Text(target)].map { .screen($0) } ?? continuing(from: index)
    case nil: continuing(from: index)
    }
  }

  private func step(from index: Int, by distance: Int) -> Step {
    guard ids.indices.contains(index) else { return distance > 0 ? .end : .start }
    guard !mainFlow.isEmpty else { return inOrder(index + distance) }
    if let place = mainFlow.firstIndex(of: ids[index]) {
      // The end of the main flow is the end of the flow, also if the document has more screens.
      guard mainFlow.indices.contains(place + distance) else { return distance > 0 ? .end : .start }
      return screen(mainFlow[place + distance])
    }
    guard let x = positions[ids[index]]?.x else { return inOrder(index + distance) }
    // A variant stands beside the main flow: it continues to the right of it, and goes back to the left.
    let main = mainFlow.compactMap { id in positions[id].map { (id: id, x: $0.x) } }
    let next =
      distance > 0 ? main.filter { $0.x > x }.min { $0.x < $1.x } : main.filter { $0.x <= x }.max { $0.x < $1.x }
    return next.map { screen($0.id) } ?? inOrder(index + distance)
  }

  private func screen(_ id: UTF8Text) -> Step { indices[id].map { .screen($0) } ?? .end }

  private func inOrder(_ index: Int) -> Step {
    if index < 0 { return .start }
    return index < ids.count ? .screen(index) : .end
  }
}
