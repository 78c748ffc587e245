import TesseraFlowDocument
import TesseraJSON

/// Unique ids: of screens in the flow, of elements in their screen, of options in their choice.
extension FlowConfigDecoder {
  /// Renames screens that have the id of an earlier one.
  mutating func identify(_ screens: inout [FlowScreen]) {
    let ids = uniqueNames(screens.map(\.id), generated: "screen", places.map(\.path))
    for index in screens.indices { screens[index].id = ids[index] }
  }

  /// Gives ids to the elements of a screen that have none, and other ones to those that have the id of an earlier one.
  mutating func identify(_ root: inout FlowElement) {
    let ids = root.flattened.map { $0.hasOwnId ? $0.id : "" }
    var names = uniqueNames(ids, generated: "element", elementPaths)[...]
    root.changeEach { element in if let name = names.popFirst() { element.id = name } }
  }

  /// The names, of which an equal one has a number after it.
  ///
  /// The names of the document are taken first, so that a generated one never takes the place of one of them, and a flow
  /// that was written and is read again has the same.
  ///
  /// - Parameters:
  ///   - names: in the order of the document; empty where a name is to be generated.
  ///   - generated: the beginning of a generated name.
  ///   - paths: of the objects with the names.
  mutating func uniqueNames(_ names: [String], generated: String, _ paths: [[FlowProblem.Step]]) -> [String] {
    var taken = TakenNames(names)
    var result = names
    var seen: Set<UTF8Text> = []
    for (index, name) in names.enumerated() where !name.isEmpty && !seen.insert(UTF8Text(name)).inserted {
      result[index] = taken.free(name, from: 2)
      if paths.indices.contains(index) {
        warning("“id” is not unique; “\(PrintableText.of(result[index]))” is used.", paths[index] + [.member("id")])
      }
    }
    for (index, name) in names.enumerated() where name.isEmpty {
      result[index] = taken.free(generated, from: index + 1)
    }
    return result
  }
}

/// The names that are in use.
private struct TakenNames {
  private var names: Set<UTF8Text>
  /// The number to try next, by name: so many equal names take no longer.
  private var next: [UTF8Text: Int] = [:]

  init(_ names: [String]) { self.names = Set(names.map(UTF8Text.init)) }

  /// A name that is not in use yet, and is from now on.
  mutating func free(_ name: String, from first: Int) -> String {
    // With its number the name must not become longer than a name can be.
    var base = String.UnicodeScalarView(name.unicodeScalars)
    while String(base).utf8.count > FlowNames.longest - 8 { base.removeLast() }
    let key = UTF8Text(String(base))
    var number = max(first, next[key] ?? 0)
    while !names.insert(UTF8Text("\(key.string)-\(number)")).inserted { number += 1 }
    next[key] = number + 1
    return "\(key.string)-\(number)"
  }
}

extension FlowElement {
  /// The element and those in it, each before its children. The depth of a decoded element is limited.
  var flattened: [FlowElement] {
    var elements: [FlowElement] = []
    append(to: &elements)
    return elements
  }

  private func append(to elements: inout [FlowElement]) {
    elements.append(self)
    for child in children { child.append(to: &elements) }
  }

  fileprivate mutating func changeEach(_ body: (inout FlowElement) -> Void) {
    body(&self)
    switch content {
    case .stack(var stack):
      for index in stack.children.indices { stack.children[index].changeEach(body) }
      content = .stack(stack)
    case .button(var button):
      for index in button.children.indices { button.children[index].changeEach(body) }
      content = .button(button)
    case .text, .image, .entry, .toggle, .datePicker, .choice, .progressBar, .unknown: break
    }
  }
}

/// The words of the document that mean the same as another one.
enum FlowDocumentWords {
  static let distributions: [String: FlowStack.Distribution] = [
    "start": .start, "flex-start": .start, "center": .center, "end": .end, "flex-end": .end,
    "space-between": .spaceBetween, "space-around": .spaceAround, "space-evenly": .spaceEvenly,
  ]
  static let stackAlignments: [String: FlowStack.Alignment] = [
    "start": .start, "flex-start": .start, "left": .start, "top": .start, "center": .center, "end": .end,
    "flex-end": .end, "right": .end, "bottom": .end,
  ]
  static let textAlignments: [String: FlowText.Alignment] = [
    "left": .left, "leading": .left, "center": .center, "right": .right, "trailing": .right,
  ]
  static let fits: [String: FlowImage.Fit] = ["contain": .contain, "fit": .contain, "cover": .cover, "fill": .cover]
  static let entries: [String: FlowEntry.Kind] = [
    "text": .text, "email": .email, "phone": .phone(countryCode: ""), "number": .number(FlowNumberRange()),
  ]
  /// The countries whose flags the mobile SDK has.
  static let countries: Set<String> = ["US", "GB", "CA", "AU", "DE", "FR", "ES", "IT", "MX", "BR"]
}
