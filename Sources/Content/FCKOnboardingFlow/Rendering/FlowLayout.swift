/// The inner size of a window, or of a box, in pixels of the desktop.
package struct FlowSize: Sendable, Equatable {
  package var width: Double
  package var height: Double

  package init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }
}

/// How long one side of a box is.
package enum RenderLength: Sendable, Equatable {
  /// As long as the content needs.
  case natural
  /// As long as the parent allows.
  case fill
  case pixels(Double)
}

/// The sides of a box.
package struct RenderSize: Sendable, Equatable {
  package var width: RenderLength
  package var height: RenderLength
}

/// The lengths of boxes in a window of a certain size (NativeScreens.md, rule 4).
///
/// A percentage is one of the parent's inner side. As in CSS it is the natural length if the parent's length is not
/// known before its content is.
package struct FlowLayout: Sendable {
  /// The longest side of a box.
  package static let longest = 16_384.0

  package var window: FlowSize

  package init(window: FlowSize) { self.window = window }

  /// - Parameter parent: the inner length of the parent in the same direction; nil if it depends on its content.
  package func length(_ dimension: Dimension, parent: Double?) -> RenderLength {
    switch dimension {
    case .auto: .natural
    case .fill: .fill
    case .pixels(let pixels): .pixels(Self.limited(pixels))
    case .percent(let part): parent.map { .pixels(Self.limited($0 * part / 100)) } ?? .natural
    case .viewportWidth(let part): .pixels(Self.limited(window.width * part / 100))
    case .viewportHeight(let part): .pixels(Self.limited(window.height * part / 100))
    }
  }

  /// The sizes of a screen's nodes by their ids, before anything is measured.
  package func sizes(of root: RenderNode) -> [String: RenderSize] {
    var sizes: [String: RenderSize] = [:]
    add(root, width: window.width, height: window.height, to: &sizes)
    return sizes
  }

  /// - Parameters:
  ///   - width: the room in the parent. A parent that is as wide as its content is at most as wide as its own parent
  ///     allows, so the room is always known.
  ///   - height: the same; nil if it depends on the content.
  private func add(_ node: RenderNode, width: Double, height: Double?, to sizes: inout [String: RenderSize]) {
    let size = RenderSize(
      width: length(node.box.width, parent: width), height: length(node.box.height, parent: height))
    sizes[node.id] = size
    let box = node.box
    let inset = box.border.width * 2
    let room = width - box.margin.left - box.margin.right
    let outerWidth = if case .pixels(let pixels) = size.width { pixels } else { room }
    let outerHeight: Double? =
      switch size.height {
      case .pixels(let pixels): pixels
      case .fill: height.map { $0 - box.margin.top - box.margin.bottom }
      case .natural: nil
      }
    for child in node.children {
      add(
        child, width: max(0, outerWidth - box.padding.left - box.padding.right - inset),
        height: outerHeight.map { max(0, $0 - box.padding.top - box.padding.bottom - inset) }, to: &sizes)
    }
  }

  /// A length that can be drawn: not negative, and not beyond what a screen could show. What is not a number is 0.
  package static func limited(_ length: Double) -> Double { length > 0 ? min(length, longest) : 0 }
}
