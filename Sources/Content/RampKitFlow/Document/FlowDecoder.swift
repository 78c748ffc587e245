import TesseraFlowDocument
internal import TesseraJSON

/// Reads the document of a flow, and notes what it leaves out.
struct FlowDecoder: FlowDocumentDecoder {
  var problems: [FlowProblem] = []
  /// The places in the document of the screens that were kept.
  private(set) var screenIndices: [Int] = []

  /// - Returns: nil if the document is not a flow at all; the problems say why.
  mutating func flow(_ document: JSONValue) -> OnboardingData? {
    guard case .object(let members) = document else {
      error("The document is not a JSON object.", [])
      return nil
    }
    guard case .array(let screens)? = members["screens"] else {
      error("The document has no array “screens”.", [])
      return nil
    }
    guard screens.count <= FlowLimits.screens else {
      error("The flow has \(screens.count) screens. At most \(FlowLimits.screens) are allowed.", [.member("screens")])
      return nil
    }
    var flow = OnboardingData()
    flow.onboardingId = text(members["onboardingId"], [.member("onboardingId")])
    if screens.isEmpty { warning("The flow has no screen, so nothing is shown.", [.member("screens")]) }
    for (index, value) in screens.enumerated() {
      let path: [FlowProblem.Step] = [.member("screens"), .element(index)]
      guard let screen = screen(value, path) else { continue }
      guard !flow.screens.contains(where: { $0.id.hasBytes(of: screen.id) }) else {
        error("Another screen has the same id, so this one is left out.", path + [.member("id")])
        continue
      }
      flow.screens.append(screen)
      screenIndices.append(index)
    }
    flow.variables = variables(members["variables"])
    flow.requiredScripts = scripts(members["requiredScripts"])
    flow.navigation = navigation(members["navigation"], ids: Set(flow.screens.map { UTF8Text($0.id) }))
    flow.components = components(members["components"])
    return flow
  }

  // MARK: - Parts

  private mutating func screen(_ value: JSONValue, _ path: [FlowProblem.Step]) -> ScreenPayload? {
    guard case .object(let members) = value else {
      error("A screen must be an object, so this one is left out.", path)
      return nil
    }
    guard let id = members["id"]?.stringValue, !id.isEmpty else {
      error("The screen has no “id”, so it is left out.", path)
      return nil
    }
    guard isName(id, "id", path) else { return nil }
    var screen = ScreenPayload(id: id, html: text(members["html"], path + [.member("html")]) ?? "")
    if screen.html.isEmpty { warning("The screen has no “html”; a page with one button is shown.", path) }
    screen.label = text(members["label"], path + [.member("label")])
    screen.css = text(members["css"], path + [.member("css")])
    screen.js = text(members["js"], path + [.member("js")])
    for (locale, value) in object(members["translations"], path + [.member("translations")]) {
      guard isName(locale, "locale", path + [.member("translations")]) else { continue }
      let path = path + [.member("translations"), .member(locale)]
      var texts: [String: String] = [:]
      for (id, value) in object(value, path) where isName(id, "id", path) {
        texts[id] = text(value, path + [.member(id)])
      }
      screen.translations[locale] = texts
    }
    return screen
  }

  private mutating func variables(_ value: JSONValue?) -> [OnboardingVariable] {
    let path: [FlowProblem.Step] = [.member("variables")]
    let state = object(value, path).first { $0.name == "state" }?.value
    let entries = array(state, path + [.member("state")])
    guard entries.count <= FlowLimits.variables else {
      error(
        "The flow has \(entries.count) variables. At most \(FlowLimits.variables) are allowed, so all are left out.",
        path + [.member("state")])
      return []
    }
    var variables: [OnboardingVariable] = []
    for (index, entry) in entries.enumerated() {
      let path = path + [.member("state"), .element(index)]
      guard let name = entry["name"]?.stringValue, !name.isEmpty else {
        error("The variable has no “name”, so it is left out.", path)
        continue
      }
      guard isName(name, "name", path) else { continue }
      if VariableName.isReadOnly(name) {
        warning(
          "Pages cannot change variables that start with “\(VariableName.readOnlyPrefix)”.", path + [.member("name")])
      }
      if let same = variables.firstIndex(where: { $0.name.hasBytes(of: name) }) {
        warning("Another variable has the same name. The later value counts.", path + [.member("name")])
        variables.remove(at: same)
      }
      let initial = entry["initialValue"]
      variables.append(OnboardingVariable(name: name, initialValue: initial == .null ? nil : initial))
    }
    return variables
  }

  private mutating func scripts(_ value: JSONValue?) -> [String] {
    let path: [FlowProblem.Step] = [.member("requiredScripts")]
    var scripts: [String] = []
    let entries = array(value, path)
    guard entries.count <= FlowLimits.scripts else {
      error(
        "The flow has \(entries.count) scripts. At most \(FlowLimits.scripts) are allowed, so all are left out.", path)
      return []
    }
    for (index, entry) in entries.enumerated() {
      guard let address = text(entry, path + [.element(index)]) else { continue }
      guard LinkAddress.scriptOrigin(address) != nil else {
        error("A script is loaded over https only, so this one is left out.", path + [.element(index)])
        continue
      }
      if !scripts.contains(where: address.hasBytes) { scripts.append(address) }
    }
    return scripts
  }

  private mutating func navigation(_ value: JSONValue?, ids: Set<UTF8Text>) -> FlowNavigation? {
    let path: [FlowProblem.Step] = [.member("navigation")]
    guard let value, value != .null else { return nil }
    let members = object(value, path)
    func member(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }
    var navigation = FlowNavigation(mainFlow: [])
    for (index, entry) in array(member("mainFlow"), path + [.member("mainFlow")]).enumerated() {
      let path = path + [.member("mainFlow"), .element(index)]
      guard let id = text(entry, path) else { continue }
      guard ids.contains(UTF8Text(id)) else {
        error("No screen has this id, so it is left out.", path)
        continue
      }
      guard !navigation.mainFlow.contains(where: id.hasBytes) else {
        error("The screen is already in the main flow, so it is left out here.", path)
        continue
      }
      navigation.mainFlow.append(id)
    }
    for (id, value) in object(member("screenPositions"), path + [.member("screenPositions")]) {
      guard isName(id, "id", path + [.member("screenPositions")]) else { continue }
      let path = path + [.member("screenPositions"), .member(id)]
      guard let x = value["x"]?.doubleValue, let y = value["y"]?.doubleValue else {
        error("The position has no numbers “x” and “y”, so it is left out.", path)
        continue
      }
      if !ids.contains(UTF8Text(id)) { warning("No screen has this id.", path) }
      navigation.screenPositions[id] = FlowNavigation.Position(x: x, y: y, row: value["row"]?.stringValue ?? "main")
    }
    return navigation
  }

  private mutating func components(_ value: JSONValue?) -> [String: FlowComponent] {
    var components: [String: FlowComponent] = [:]
    let members = object(value, [.member("components")])
    guard members.count <= FlowLimits.components else {
      error(
        "The flow has \(members.count) components. At most \(FlowLimits.components) are allowed, so all are left out.",
        [.member("components")])
      return [:]
    }
    for (key, value) in members {
      guard isName(key, "key", [.member("components")]) else { continue }
      let path: [FlowProblem.Step] = [.member("components"), .member(key)]
      guard let html = value["html"]?.stringValue else {
        error("The component has no “html”, so it is left out.", path)
        continue
      }
      components[key] = FlowComponent(key: key, name: value["name"]?.stringValue, html: html)
    }
    return components
  }
}

extension OnboardingData {
  /// Reads the document of a flow.
  ///
  /// - Parameter problems: receives what was left out.
  /// - Throws: `FlowDocumentError`.
  public init(_ text: some Collection<UInt8>, problems: inout [FlowProblem]) throws(FlowDocumentError) {
    self = try Self.read(text, problems: &problems).flow
  }

  /// - Returns: the flow, and the places in the document of its screens.
  static func read(
    _ text: some Collection<UInt8>, problems: inout [FlowProblem]
  ) throws(FlowDocumentError) -> (flow: OnboardingData, screenIndices: [Int]) {
    let document = try FlowDocumentText.json(text, limit: FlowLimits.documentSize)
    var decoder = FlowDecoder()
    let flow = decoder.flow(document)
    problems += decoder.problems
    guard let flow else { throw .noFlow(decoder.problems.last?.message ?? "") }
    return (flow, decoder.screenIndices)
  }
}
