internal import TesseraCore
internal import TesseraJSON

/// Finds what is wrong in the HTML of a flow, without a browser.
public enum FlowPageCheck {
  /// The problems in the screens and components, at most `FlowLimits.problems`. The indices are those of
  /// `OnboardingData.screens`.
  public static func problems(in flow: OnboardingData) -> [FlowProblem] {
    let pages =
      flow.screens.enumerated().map { index, screen in
        (html: screen.html, path: [FlowProblem.Step.member("screens"), .element(index), .member("html")])
      }
      + flow.components.values.sorted { $0.key < $1.key }.map { component in
        (html: component.html, path: [.member("components"), .member(component.key), .member("html")])
      }
    var check = PageCheck(flow, KnownNames(flow, pages.map(\.html)))
    for page in pages {
      guard !check.isFull else { break }
      check.check(page.html, at: page.path)
    }
    return check.problems
  }
}

/// The names that templates and rules can use.
private struct KnownNames {
  private var names: Set<UTF8Text>
  /// The words of the pages' scripts, which can make variables.
  private var words: Set<UTF8Text> = []

  init(_ flow: OnboardingData, _ pages: [String]) {
    names = Set(flow.variables.map { UTF8Text($0.name) })
    names.formUnion(PageContext.names.map(UTF8Text.init))
    for screen in flow.screens { words.formUnion(Self.words(screen.js ?? "")) }
    for page in pages {
      var scanner = HTMLScanner(Array(page.utf8))
      while let token = scanner.next() {
        guard case .startTag(let tag) = token else { continue }
        for attribute in tag.attributes where PageCheck.actionAttributes.contains(attribute.name) {
          guard let json = PageCheck.json(HTMLText.decoded(scanner.bytes[attribute.value])) else { continue }
          addVariables(in: json)
        }
      }
    }
  }

  /// The variables that actions set.
  private mutating func addVariables(in json: JSONValue) {
    switch json {
    case .array(let elements): for element in elements { addVariables(in: element) }
    case .object(let members):
      if let type = members["type"]?.stringValue, PageLanguage.has(type, in: PageLanguage.variableActions),
        let name = PageLanguage.variable(members)
      {
        names.insert(UTF8Text(name))
      }
      for member in members.members { addVariables(in: member.value) }
    case .null, .bool, .integer, .number, .string: break
    }
  }

  /// Whether the name may have a value: also if a script mentions it.
  func contains(_ name: String) -> Bool {
    names.contains(UTF8Text(name)) || VariableName.isReadOnly(name) || Self.words(name).allSatisfy(words.contains)
  }

  private static func words(_ text: String) -> [UTF8Text] {
    text.utf8.split { !isWordByte($0) }.map { UTF8Text(String(decoding: $0, as: UTF8.self)) }
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }
}

/// The words of the page language (`rules.js`, `actions.js`, `onopen.js`).
enum PageLanguage {
  static let operators: Set<String> = [
    "=", "==", "!=", "<>", ">", "<", ">=", "<=", "contains", "startsWith", "endsWith", "empty", "isEmpty", "notEmpty",
    "isNotEmpty",
  ]
  static let conditions: Set<String> = ["if", "elseif", "else"]
  static let variableActions: Set<String> = ["setVariable", "setState", "updateVariable", "set", "assign"]
  static let classActions: Set<String> = ["addClass", "removeClass", "toggleClass", "selectOne"]
  static let actions: Set<String> = variableActions.union(classActions).union([
    "navigate", "continue", "goBack", "close", "haptic", "showPaywall", "requestReview",
    "requestNotificationPermission", "onboardingFinished", "finishOnboarding", "finish", "openURL", "none",
  ])
  /// Targets that are no screens.
  static let specialTargets: Set<String> = ["__continue__", "__goBack__"]
  static let templateAttributes: Set<String> = [
    "src", "href", "alt", "title", "placeholder", "value", "data-text", "class",
  ]
  static let tapAttributes: Set<String> = ["data-tap-dynamic", "data-tapdynamic", "tapdynamic", "data-dynamic-tap"]
  static let openAttribute = "data-on-open-actions"

  /// Whether a text of the document is one of these words, which are short. Long texts are slow to compare.
  static func has(_ word: String, in words: Set<String>) -> Bool { word.utf8.count <= 64 && words.contains(word) }

  /// The variable that an action sets.
  static func variable(_ action: JSONObject) -> String? {
    ["key", "variableName", "name", "variable"].lazy.compactMap { action[$0]?.stringValue }.first { !$0.isEmpty }
  }
}

/// The check of all pages, one after another.
private struct PageCheck {
  static let actionAttributes = PageLanguage.tapAttributes.union([PageLanguage.openAttribute])

  /// Those of all pages so far.
  private(set) var problems: [FlowProblem] = []
  private let flow: OnboardingData
  private let names: KnownNames
  private let screens: Set<UTF8Text>
  private let scripts: Set<WebOrigin>
  private var componentIds: [String: Set<UTF8Text>?] = [:]
  /// The page that is checked, and what was said of it.
  private var path: [FlowProblem.Step] = []
  private var messages: Set<UTF8Text> = []

  init(_ flow: OnboardingData, _ names: KnownNames) {
    self.flow = flow
    self.names = names
    screens = Set(flow.screens.map { UTF8Text($0.id) })
    scripts = Set(flow.requiredScripts.compactMap(LinkAddress.scriptOrigin))
  }

  /// More problems help nobody.
  var isFull: Bool { problems.count >= FlowLimits.problems }

  /// The JSON of an attribute. Some editors write the entities of HTML twice, as the page knows.
  static func json(_ text: String) -> JSONValue? {
    (try? JSONValue(text: text)) ?? (try? JSONValue(text: HTMLText.decoded(text.utf8)))
  }

  mutating func check(_ html: String, at path: [FlowProblem.Step]) {
    self.path = path
    messages = []
    var scanner = HTMLScanner(Array(html.utf8))
    var isRawText = false
    while let token = scanner.next() {
      guard !isFull else { return }
      switch token {
      case .startTag(let tag):
        isRawText = HTMLScanner.rawTextElements.contains(tag.name)
        check(tag, scanner.bytes)
      case .text(let range):
        if !isRawText { checkTemplates(String(decoding: scanner.bytes[range], as: UTF8.self)) }
      case .unfinished: error("The HTML ends in the middle of a tag or a comment.")
      case .endTag, .doctype, .comment: isRawText = false
      }
    }
    if let element = scanner.openElement { error("The element <\(element)> has no end.") }
  }

  private mutating func check(_ tag: HTMLTag, _ bytes: [UInt8]) {
    for attribute in tag.attributes {
      let value = HTMLText.decoded(bytes[attribute.value])
      if PageLanguage.tapAttributes.contains(attribute.name) { checkTap(value, attribute.name) }
      if attribute.name == PageLanguage.openAttribute { checkOpen(value) }
      if PageLanguage.templateAttributes.contains(attribute.name) { checkTemplates(value) }
    }
    switch tag.name {
    case ComponentExpansion.element: checkComponent(tag, bytes)
    case "script":
      if let address = tag.value("src", in: bytes) { checkScript(address) }
    case "iframe", "frame", "object", "embed": error("The element <\(tag.name)> is not loaded: pages have no frames.")
    default: break
    }
  }

  private mutating func checkScript(_ address: String) {
    guard let origin = LinkAddress.scriptOrigin(address) else {
      error("The script \(quoted(address)) is not loaded: its address must begin with https.")
      return
    }
    if !scripts.contains(origin) {
      error("The script \(quoted(address)) is not loaded: “requiredScripts” has none of that host.")
    }
  }

  private mutating func checkTemplates(_ text: String) {
    let templates = TemplateNames(text)
    for name in templates.names where !names.contains(name) {
      warning("No variable has the name \(quoted(name)), so the template shows nothing.")
    }
    for expression in templates.unknownForms {
      warning("The template \(quoted(expression)) shows nothing: it is neither a name nor a choice.")
    }
  }

  private mutating func checkComponent(_ tag: HTMLTag, _ bytes: [UInt8]) {
    let key = tag.value("key", in: bytes) ?? ""
    guard key.utf8.count <= ComponentExpansion.longestKey, let component = flow.components[key] else {
      error("No component has the key \(quoted(key)).")
      return
    }
    let overrides = ComponentOverrides(tag.value("overrides", in: bytes))
    if !overrides.isValid {
      error("The overrides of the component \(quoted(key)) are not a JSON object of objects.")
    }
    let ids = ids(of: component)
    for id in overrides.ids {
      if let ids, !ids.contains(UTF8Text(id)) {
        warning("The component \(quoted(key)) has no element with the id \(quoted(id)).")
      }
      if let action = overrides[id]?.action { checkTap(action, "action") }
    }
  }

  /// The ids of a component's elements; nil if it contains other components, whose ids have a prefix. Found once, since
  /// pages may use a large component often.
  private mutating func ids(of component: FlowComponent) -> Set<UTF8Text>? {
    if let known = componentIds[component.key] { return known }
    var ids: Set<UTF8Text>? = []
    var scanner = HTMLScanner(Array(component.html.utf8))
    while let token = scanner.next() {
      guard case .startTag(let tag) = token else { continue }
      if tag.name == ComponentExpansion.element { ids = nil }
      if let id = tag.value("data-ramp-id", in: scanner.bytes) { ids?.insert(UTF8Text(id)) }
    }
    componentIds[component.key] = .some(ids)
    return ids
  }

  // MARK: - Rules and actions

  private mutating func checkTap(_ text: String, _ attribute: String) {
    guard let json = Self.json(text) else {
      error("\(quoted(attribute)) is not JSON: \(quoted(text)).")
      return
    }
    guard case .array(let groups)? = json["values"] else {
      error("\(quoted(attribute)) has no array “values”.")
      return
    }
    for group in groups {
      guard case .object(let members) = group else {
        error("A group of \(quoted(attribute)) is not an object.")
        continue
      }
      checkCondition(members)
      checkActions(members["actions"], isOpen: false)
    }
  }

  private mutating func checkCondition(_ group: JSONObject) {
    let condition = group["conditionType"] ?? "if"
    guard let type = condition.stringValue, PageLanguage.has(type, in: PageLanguage.conditions) else {
      error("The condition \(quoted(condition.stringValue ?? condition.text)) is none of: if, elseif, else.")
      return
    }
    guard type != "else" else { return }
    switch group["rules"] {
    case nil, .null?: break
    case .array(let rules)?: for rule in rules { checkRule(rule) }
    default: error("“rules” is not an array.")
    }
  }

  private mutating func checkRule(_ rule: JSONValue) {
    guard let key = rule["key"]?.stringValue else {
      error("A rule has no “key”.")
      return
    }
    if !names.contains(key) { warning("No variable has the name \(quoted(key)), which a rule compares.") }
    let name = rule["op"]?.stringValue ?? ""
    if !PageLanguage.has(name, in: PageLanguage.operators) { error("No operator of rules is \(quoted(name)).") }
  }

  private mutating func checkOpen(_ text: String) {
    guard let json = Self.json(text) else {
      error("“\(PageLanguage.openAttribute)” is not JSON: \(quoted(text)).")
      return
    }
    checkActions(json, isOpen: true)
  }

  private mutating func checkActions(_ value: JSONValue?, isOpen: Bool) {
    guard case .array(let actions)? = value else {
      error(isOpen ? "“\(PageLanguage.openAttribute)” is not an array." : "A group has no array “actions”.")
      return
    }
    for action in actions {
      guard case .object(let members) = action, let type = members["type"]?.stringValue else {
        error("An action has no “type”.")
        continue
      }
      if isOpen, type.hasBytes(of: "wait") { continue }
      guard PageLanguage.has(type, in: PageLanguage.actions) else {
        error("No action is \(quoted(type)).")
        continue
      }
      checkAction(type, members)
    }
  }

  private mutating func checkAction(_ type: String, _ action: JSONObject) {
    switch type {
    case "navigate":
      guard let target = action["targetScreenId"]?.stringValue else {
        warning("An action “navigate” has no “targetScreenId”, so it goes to the next screen.")
        return
      }
      if !screens.contains(UTF8Text(target)), !PageLanguage.has(target, in: PageLanguage.specialTargets) {
        warning("No screen has the id \(quoted(target)), so the action goes to the next screen.")
      }
    case "openURL":
      let address = action["url"]?.stringValue ?? ""
      if !LinkAddress.isOpened(address) {
        error(
          "The address \(quoted(address)) is not opened: it must be an absolute one of https, http or mailto, without "
            + "spaces and of at most \(LinkAddress.longest) bytes.")
      }
    case _ where PageLanguage.classActions.contains(type):
      if action["class"]?.stringValue?.isEmpty ?? true { error("An action \(quoted(type)) has no “class”.") }
    case _ where PageLanguage.variableActions.contains(type):
      guard let name = PageLanguage.variable(action) else {
        error("An action \(quoted(type)) names no variable.")
        return
      }
      if VariableName.isReadOnly(name) { error("Pages cannot change the variable \(quoted(name)).") }
    default: break
    }
  }

  // MARK: - Problems

  /// A text of the flow in a message.
  private func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(80)
    return "“\(PrintableText.of(String(String.UnicodeScalarView(scalars))))”"
  }

  private mutating func error(_ message: String) { add(.error, message) }

  private mutating func warning(_ message: String) { add(.warning, message) }

  /// Adds a problem, once.
  private mutating func add(_ severity: FlowProblem.Severity, _ message: String) {
    guard !isFull, messages.insert(UTF8Text(message)).inserted else { return }
    problems.append(FlowProblem(severity, message, at: path))
  }
}
