import CTesseraWebKitGTK
import FCKOnboardingFlow

/// Places the children of a stack, by `StackArrangement` along its axis and by its alignment across it.
@MainActor
final class StackLayout: WidgetLayout {
  /// How the children lie.
  struct Rules: Equatable {
    var axis = FlowStack.Axis.vertical
    var spacing = 0.0
    var distribution = FlowStack.Distribution.start
    var alignment = FlowStack.Alignment.center

    /// Those of a button's children.
    init() {}

    init(_ stack: RenderStack) {
      axis = stack.axis
      spacing = stack.spacing
      distribution = stack.distribution
      alignment = stack.alignment
    }
  }

  var rules = Rules()
  var children: [NodeWidget] = []

  private var isVertical: Bool { rules.axis == .vertical }
  private var spacing: Int { Int(FlowLayout.limited(rules.spacing).rounded()) }
  private var gaps: Int { spacing * max(0, children.count - 1) }

  func width() -> Request {
    let requests = children.map(\.widthRequest)
    return isVertical ? Self.largest(requests) : Self.sum(requests, gaps)
  }

  func height(forWidth width: Int) -> Request {
    let requests = zip(children, widths(in: width)).map { $0.heightRequest(forWidth: $1) }
    return isVertical ? Self.sum(requests, gaps) : Self.largest(requests)
  }

  func allocate(width: Int, height: Int) {
    let widths = widths(in: width)
    let requests = zip(children, widths).map { $0.heightRequest(forWidth: $1) }
    if isVertical {
      let items = zip(children, requests).map { Self.item($1, $0.height) }
      let arrangement = arrangement(items, height)
      for (index, child) in children.enumerated() {
        let place = arrangement.places[index]
        child.widget.place(
          x: shift(widths[index], in: width), y: place.offset, width: widths[index], height: place.length)
      }
    } else {
      let places = horizontal(width).places
      for (index, child) in children.enumerated() {
        let length = Self.cross(requests[index], child.height, in: height)
        child.widget.place(
          x: places[index].offset, y: shift(length, in: height), width: widths[index], height: length)
      }
    }
  }

  /// The widths of the children in a stack of this width.
  private func widths(in width: Int) -> [Int] {
    isVertical
      ? children.map { Self.cross($0.widthRequest, $0.width, in: width) } : horizontal(width).places.map(\.length)
  }

  private func horizontal(_ width: Int) -> StackArrangement {
    arrangement(children.map { Self.item($0.widthRequest, $0.width) }, width)
  }

  private func arrangement(_ items: [StackArrangement.Item], _ available: Int) -> StackArrangement {
    StackArrangement(items, available: available, spacing: spacing, distribution: rules.distribution)
  }

  private static func item(_ request: Request, _ length: RenderLength) -> StackArrangement.Item {
    StackArrangement.Item(minimum: request.minimum, natural: request.natural, fills: length == .fill)
  }

  /// The length of a child across the axis.
  private static func cross(_ request: Request, _ length: RenderLength, in available: Int) -> Int {
    max(request.minimum, length == .fill ? available : min(request.natural, available))
  }

  /// Where a child begins across the axis. One that is too long begins at the start, where it can be read.
  private func shift(_ length: Int, in available: Int) -> Int {
    let free = max(0, available - length)
    return switch rules.alignment {
    case .start: 0
    case .center: free / 2
    case .end: free
    }
  }

  private static func largest(_ requests: [Request]) -> Request {
    Request(minimum: requests.map(\.minimum).max() ?? 0, natural: requests.map(\.natural).max() ?? 0)
  }

  private static func sum(_ requests: [Request], _ gaps: Int) -> Request {
    Request(
      minimum: requests.reduce(gaps) { $0 + $1.minimum }, natural: requests.reduce(gaps) { $0 + $1.natural })
  }
}
