import TesseraJSON

/// The elements of a screen by their ids.
struct ScreenElements: Sendable {
  private struct Entry {
    var element: FlowElement
    var parent: UTF8Text?
  }

  private var entries: [UTF8Text: Entry] = [:]
  /// In the order of the document.
  private(set) var all: [FlowElement] = []

  init(_ root: FlowElement) { add(root, parent: nil) }

  /// The decoder limits how deep elements are nested.
  private mutating func add(_ element: FlowElement, parent: UTF8Text?) {
    let id = UTF8Text(element.id)
    // Ids are unique. Should they not be, the first element has the id.
    if entries[id] == nil { entries[id] = Entry(element: element, parent: parent) }
    all.append(element)
    for child in element.children { add(child, parent: id) }
  }

  subscript(id: String) -> FlowElement? { entries[UTF8Text(id)]?.element }

  /// The elements around an element, the root of the screen first, and the element itself; nil if there is no such
  /// element.
  func path(to id: String) -> [FlowElement]? {
    guard let entry = entries[UTF8Text(id)] else { return nil }
    var path = [entry.element]
    var parent = entry.parent
    // An id that stands twice could lead in a circle.
    while let key = parent, let entry = entries[key], path.count < all.count {
      path.append(entry.element)
      parent = entry.parent
    }
    return path.reversed()
  }

  /// The element that gets a press on this one: itself, or the nearest element around it that can be pressed. Fields and
  /// choices keep the presses on them.
  func tappable(_ id: String) -> FlowElement? {
    let element = path(to: id)?.last { $0.isTappable || $0.initialValue != nil }
    return element.flatMap { $0.isTappable ? $0 : nil }
  }
}

extension FlowElement {
  /// Whether the element does something when it is pressed.
  var isTappable: Bool {
    if case .button = content { return true }
    return !tapBehaviors.isEmpty
  }
}
