import TesseraFlowDocument
import TesseraJSON

/// The elements of screens (NativeScreens.md, rule 5).
extension FlowConfigDecoder {
  /// - Parameter depth: 1 for the root of a screen.
  /// - Returns: nil if the element is left out, which is noted. Its siblings are kept.
  mutating func element(_ value: JSONValue, _ path: [FlowProblem.Step], depth: Int) -> FlowElement? {
    guard countElement(depth: depth, path) else { return nil }
    guard case .object(let members) = value else {
      error("An element must be an object, so this one is left out.", path)
      return nil
    }
    let object = FlowObject(members: members, path: path)
    guard let type = name("type", in: object), !type.isEmpty else {
      error("The element has no “type”, so it is left out.", path)
      return nil
    }
    let place = elementPaths.count
    elementPaths.append(path)
    guard let content = content(type, object, depth) else {
      elementPaths.removeSubrange(place...)
      return nil
    }
    // Those without an id get one when all ids of the screen are known.
    let id = name("id", in: object) ?? ""
    return FlowElement(
      id: id, hasOwnId: !id.isEmpty, padding: spacing("padding", in: object), margin: spacing("margin", in: object),
      width: dimension("width", in: object), height: dimension("height", in: object), content: content)
  }

  private mutating func content(_ type: String, _ object: FlowObject, _ depth: Int) -> FlowElement.Content? {
    switch type {
    case "stack": .stack(stack(object, depth))
    case "text": text(object).map(FlowElement.Content.text)
    case "image": image(object).map(FlowElement.Content.image)
    case "button": .button(button(object, depth))
    case "input", "email", "phone", "number": .entry(entry(type, object))
    case "toggle": .toggle(toggle(object))
    case "datepicker", "datePicker": .datePicker(datePicker(object))
    case "choice": .choice(choice(.choice, object))
    case "options": .choice(choice(.options, object))
    case "progressbar": .progressBar(progressBar(object))
    default: .unknown(type)
    }
  }

  // MARK: - Elements with elements in them

  private mutating func stack(_ object: FlowObject, _ depth: Int) -> FlowStack {
    let axes = ["vertical": FlowStack.Axis.vertical, "horizontal": .horizontal]
    var stack = FlowStack()
    // The first is the mobile SDK's word, the other that of the format's description.
    stack.axis = word(object["axis"] == nil ? "direction" : "axis", in: object, axes) ?? stack.axis
    stack.spacing = length("spacing", in: object) ?? stack.spacing
    stack.distribution = word("distribution", in: object, FlowDocumentWords.distributions) ?? stack.distribution
    stack.alignItems = word("alignItems", in: object, FlowDocumentWords.stackAlignments) ?? stack.alignItems
    stack.backgroundColor = color("backgroundColor", in: object)
    stack.border = border(object)
    let glass = word("glassEffectStyle", in: object, FlowStack.Glass.self)
    if flag("useGlassEffect", in: object) == true { stack.glass = glass ?? .regular }
    stack.tapBehaviors = tapBehaviors(object)
    stack.children = children(object, depth)
    return stack
  }

  private mutating func button(_ object: FlowObject, _ depth: Int) -> FlowButton {
    var button = FlowButton()
    button.text = content("text", in: object) ?? button.text
    button.action = word("action", in: object, FlowButton.Action.self)
    button.style = word("style", in: object, ["filled": .filled, "outline": .outline]) ?? button.style
    button.backgroundColor = color("backgroundColor", in: object) ?? button.backgroundColor
    button.textColor = color("textColor", in: object) ?? button.textColor
    button.borderRadius = length("borderRadius", in: object) ?? button.borderRadius
    button.tapBehaviors = tapBehaviors(object)
    button.children = children(object, depth)
    return button
  }

  private mutating func children(_ object: FlowObject, _ depth: Int) -> [FlowElement] {
    var children: [FlowElement] = []
    for (index, value) in array("children", in: object).enumerated() {
      guard refusal == nil else { break }
      if let child = element(value, object.path("children") + [.element(index)], depth: depth + 1) {
        children.append(child)
      }
    }
    return children
  }

  // MARK: - Elements that show something

  private mutating func text(_ object: FlowObject) -> FlowText? {
    guard let content = content("content", in: object) else {
      error("The text has no “content”, so it is left out.", object.path)
      return nil
    }
    var text = FlowText(content: content)
    text.fontSize = length("fontSize", in: object, FlowConfigLimits.fontSize) ?? text.fontSize
    text.color = color("color", in: object) ?? text.color
    text.alignment = word("alignment", in: object, FlowDocumentWords.textAlignments) ?? text.alignment
    text.weight = word("fontWeight", in: object, FlowText.Weight.self) ?? text.weight
    text.tapBehaviors = tapBehaviors(object)
    return text
  }

  private mutating func image(_ object: FlowObject) -> FlowImage? {
    guard let url = text(object["url"], object.path("url")), url.utf8.count <= FlowConfigLimits.addressLength else {
      error(
        "The image has no “url” of at most \(FlowConfigLimits.addressLength) bytes, so it is left out.", object.path)
      return nil
    }
    var image = FlowImage(url: url)
    image.alt = content("alt", in: object)
    image.fit = word("objectFit", in: object, FlowDocumentWords.fits) ?? image.fit
    image.borderRadius = length("borderRadius", in: object) ?? image.borderRadius
    image.tapBehaviors = tapBehaviors(object)
    return image
  }

  private mutating func progressBar(_ object: FlowObject) -> FlowProgressBar {
    var bar = FlowProgressBar()
    bar.progress = number("progress", in: object, 0...100) ?? bar.progress
    bar.barColor = color("barColor", in: object) ?? bar.barColor
    bar.trackColor = color("trackColor", in: object) ?? bar.trackColor
    return bar
  }

  mutating func border(_ object: FlowObject) -> FlowBorder {
    FlowBorder(
      radius: length("borderRadius", in: object), color: color("borderColor", in: object),
      width: length("borderWidth", in: object))
  }

  // MARK: - Behaviours

  mutating func tapBehaviors(_ object: FlowObject) -> [TapBehavior] {
    var values = array("tapBehaviors", in: object)
    if values.count > FlowConfigLimits.behaviors {
      error(
        "The element has \(values.count) behaviours. At most \(FlowConfigLimits.behaviors) are allowed, so the others are "
          + "left out.", object.path("tapBehaviors"))
      values = Array(values.prefix(FlowConfigLimits.behaviors))
    }
    var behaviors: [TapBehavior] = []
    for (index, value) in values.enumerated() {
      let path = object.path("tapBehaviors") + [.element(index)]
      if let object = entry(value, path, "behaviour"), let behavior = tapBehavior(object) { behaviors.append(behavior) }
    }
    return behaviors
  }

  private mutating func tapBehavior(_ object: FlowObject) -> TapBehavior? {
    guard let kind = tapKind(object) else { return nil }
    var behavior = TapBehavior(kind)
    behavior.delay = number("delay", in: object, FlowConfigLimits.delay) ?? behavior.delay
    behavior.duration = number("duration", in: object, FlowConfigLimits.duration) ?? behavior.duration
    return behavior
  }

  private mutating func tapKind(_ object: FlowObject) -> TapBehavior.Kind? {
    switch name("type", in: object) {
    case "navigate":
      guard let id = name("targetScreenId", in: object), !id.isEmpty else {
        error("The behaviour has no “targetScreenId”, so it is left out.", object.path)
        return nil
      }
      return .navigate(screenId: id)
    case "back": return .back
    case "complete": return .complete
    case "haptics": return .haptics(word("intensity", in: object, TapBehavior.Intensity.self) ?? .light)
    case "bump": return .bump(scale: number("scale", in: object, FlowConfigLimits.scale) ?? 0.95)
    case "opacity": return .opacity(number("targetOpacity", in: object, 0...1) ?? 0.7)
    case .some:
      error("This version knows no behaviour of this type, so it is left out.", object.path("type"))
      return nil
    case nil:
      error("The behaviour has no “type”, so it is left out.", object.path)
      return nil
    }
  }
}
