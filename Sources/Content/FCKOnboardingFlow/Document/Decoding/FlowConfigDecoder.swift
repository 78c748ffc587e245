import TesseraFlowDocument
import TesseraJSON

/// Reads the document of a flow of native screens, and notes what it leaves out.
struct FlowConfigDecoder: FlowDocumentDecoder {
  /// Where a screen that was kept, and its elements, are in the document.
  struct ScreenPlace {
    let path: [FlowProblem.Step]
    /// In the order of the document, each element before its children.
    let elements: [[FlowProblem.Step]]
  }

  var problems: [FlowProblem] = []
  private(set) var places: [ScreenPlace] = []
  /// Why the whole flow is refused.
  private(set) var refusal: String?

  /// The paths of the elements of this screen so far.
  var elementPaths: [[FlowProblem.Step]] = []
  private var elementCount = 0
  private var optionCount = 0

  /// Reads a flow, the answer to a request for one, or either around another one: the inner flow wins if it is one.
  ///
  /// - Returns: nil if the document is not a flow at all, or goes beyond the limits; `refusal` says why.
  mutating func config(_ document: JSONValue) -> FlowConfig? {
    guard case .object(let members) = document else {
      refuse("The document is not a JSON object.", [])
      return nil
    }
    var layers = [FlowObject(members: members, path: [])]
    // The answer to a request, the flow in it, and the inner flow of that.
    while layers.count < 3, let layer = layers.last, case .object(let inner)? = layer["config"] {
      layers.append(FlowObject(members: inner, path: layer.path("config")))
    }
    let lacks = layers.indices.map { lack(layers[$0], around: layers[..<$0]) }
    guard let found = lacks.lastIndex(of: nil), let innermost = lacks.last else {
      let lack = lacks.lazy.compactMap { $0 }.last ?? ""
      let answer = layers.count == 1 && layers[0].members["config"] == .null
      refuse(answer ? "The document has no flow: its “config” is null." : lack, layers[layers.count - 1].path)
      return nil
    }
    if let lack = innermost {
      error("\(lack) So the flow around it is shown.", layers[layers.count - 1].path)
    } else if let config = layers[found]["config"], layers.count < 3 {
      _ = object(config, layers[found].path("config"))
    }
    let flow = flow(layers[found], around: layers[..<found])
    return refusal == nil ? flow : nil
  }

  /// What is missing to make the object a flow; nil if it is one.
  private func lack(_ layer: FlowObject, around outer: ArraySlice<FlowObject>) -> String? {
    guard case .array? = layer["screens"] else { return "The flow has no array “screens”." }
    let hasVersion = (outer + [layer]).contains { $0["version"].flatMap(Self.integer) != nil }
    return hasVersion ? nil : "The flow has no whole number “version”."
  }

  /// - Parameter outer: the objects around it. What it does not say, they may.
  private mutating func flow(_ layer: FlowObject, around outer: ArraySlice<FlowObject>) -> FlowConfig {
    let layers = [layer] + outer.reversed()
    let version = layers.lazy.compactMap { $0["version"].flatMap(Self.integer) }.first
    var config = FlowConfig(version: version ?? 0, screens: screens(layer))
    config.flowId = firstText("flowId", in: layers)
    config.name = firstText("name", in: layers)
    config.updatedAt = firstText("updatedAt", in: layers)
    config.theme = object("theme", in: layer).map { theme($0) }
    config.variables = list("variables", in: layer, "declared variables").compactMap { variable($0, $1) }
    return config
  }

  private mutating func firstText(_ name: String, in layers: [FlowObject]) -> String? {
    guard let layer = layers.first(where: { $0[name] != nil }) else { return nil }
    return content(name, in: layer)
  }

  // MARK: - Screens

  private mutating func screens(_ layer: FlowObject) -> [FlowScreen] {
    let values = array("screens", in: layer)
    guard values.count <= FlowConfigLimits.screens else {
      refuse(
        "The flow has \(values.count) screens. At most \(FlowConfigLimits.screens) are allowed.", layer.path("screens"))
      return []
    }
    if values.isEmpty { warning("The flow has no screen, so nothing is shown.", layer.path("screens")) }
    var screens: [FlowScreen] = []
    for (index, value) in values.enumerated() {
      guard refusal == nil else { return [] }
      elementPaths = []
      let path = layer.path("screens") + [.element(index)]
      guard var screen = screen(value, path) else { continue }
      identify(&screen.root)
      screens.append(screen)
      places.append(ScreenPlace(path: path, elements: elementPaths))
    }
    identify(&screens)
    return screens
  }

  private mutating func screen(_ value: JSONValue, _ path: [FlowProblem.Step]) -> FlowScreen? {
    guard case .object(let members) = value else {
      error("A screen must be an object, so this one is left out.", path)
      return nil
    }
    let object = FlowObject(members: members, path: path)
    guard let id = name("id", in: object), !id.isEmpty else {
      error("The screen has no “id”, so it is left out.", path)
      return nil
    }
    guard let value = object["root"] else {
      error("The screen has no “root”, so it is left out.", path)
      return nil
    }
    guard let root = element(value, object.path("root"), depth: 1) else {
      if refusal == nil { error("The screen has no “root” that can be drawn, so it is left out.", path) }
      return nil
    }
    var screen = FlowScreen(id: id, kind: .unknown(""), root: root)
    switch name("type", in: object) ?? "" {
    case "informational": screen.kind = .informational
    case "question": screen.kind = .question
    case let other: screen.kind = .unknown(other)
    }
    screen.showProgressBar = flag("showProgressBar", in: object) ?? true
    if let router = self.object("router", in: object) {
      screen.routes = list("routes", in: router, "routes").compactMap { route($0, $1) }
    }
    return screen
  }

  private mutating func route(_ value: JSONValue, _ path: [FlowProblem.Step]) -> FlowRoute? {
    guard let object = entry(value, path, "route") else { return nil }
    return FlowRoute(condition: content("condition", in: object), targetScreenId: name("targetScreenId", in: object))
  }

  // MARK: - Theme and variables

  private mutating func theme(_ object: FlowObject) -> FlowTheme {
    var theme = FlowTheme()
    theme.primaryColor = content("primaryColor", in: object)
    theme.backgroundColor = content("backgroundColor", in: object)
    theme.textColor = content("textColor", in: object)
    theme.fontFamily = content("fontFamily", in: object)
    theme.variables = list("variables", in: object, "variables of the theme").compactMap { value, path in
      guard let object = entry(value, path, "variable"), let names = names(object) else { return nil }
      var variable = FlowTheme.Variable(id: names.id, key: names.key, name: names.name, type: names.type)
      variable.category = content("category", in: object)
      variable.darkValue = content("darkValue", in: object)
      variable.lightValue = content("lightValue", in: object)
      variable.defaultValue = content("defaultValue", in: object)
      variable.description = content("description", in: object)
      return variable
    }
    return theme
  }

  private mutating func variable(_ value: JSONValue, _ path: [FlowProblem.Step]) -> FlowVariable? {
    guard let object = entry(value, path, "variable"), let names = names(object) else { return nil }
    return FlowVariable(
      id: names.id, key: names.key, name: names.name, type: names.type, defaultValue: object["defaultValue"])
  }

  /// What every variable has.
  private mutating func names(_ object: FlowObject) -> (id: String, key: String, name: String, type: String)? {
    guard let id = name("id", in: object), let key = name("key", in: object), let type = name("type", in: object),
      let name = content("name", in: object)
    else {
      error("The variable has no “id”, “key”, “name” or “type”, so it is left out.", object.path)
      return nil
    }
    return (id, key, name, type)
  }

  // MARK: - Limits

  /// Counts an element. Whether the flow is still within the limits.
  mutating func countElement(depth: Int, _ path: [FlowProblem.Step]) -> Bool {
    elementCount += 1
    if elementCount > FlowConfigLimits.elements {
      refuse("The flow has more than \(FlowConfigLimits.elements) elements.", path)
    } else if depth > FlowConfigLimits.depth {
      refuse("Elements are nested more than \(FlowConfigLimits.depth) levels deep.", path)
    }
    return refusal == nil
  }

  /// Counts the options of a choice. Whether the flow is still within the limits.
  mutating func countOptions(_ count: Int, _ path: [FlowProblem.Step]) -> Bool {
    optionCount += count
    if optionCount > FlowConfigLimits.options {
      refuse("The flow has more than \(FlowConfigLimits.options) options.", path)
    }
    return refusal == nil
  }

  private mutating func refuse(_ reason: String, _ path: [FlowProblem.Step]) {
    guard refusal == nil else { return }
    refusal = reason
    error(reason, path)
  }
}

/// An object of the document and its path.
struct FlowObject {
  let members: JSONObject
  let path: [FlowProblem.Step]

  /// A member. `null` is the same as none.
  subscript(name: String) -> JSONValue? {
    guard let value = members[name], value != .null else { return nil }
    return value
  }

  func path(_ name: String) -> [FlowProblem.Step] { path + [.member(name)] }
}
