internal import TesseraJSON

/// Replaces `<ramp-component>` elements by the HTML of the flow's components.
///
/// A component can use others, and itself. Depth and size have limits: a component beyond them becomes a comment.
struct ComponentExpansion {
  static let maximumDepth = 8
  /// The bytes that the components of a screen may read and write, counted at each level, beyond as many as the HTML of
  /// the screen has. All screens of a flow together stay below 60 MiB so.
  static let allowance = 1 << 20
  static let element = "ramp-component"
  /// The decoder keeps no component with a longer key.
  static let longestKey = FlowNames.longest

  let components: [String: FlowComponent]
  private var remaining = 0
  private var sources: [String: Source] = [:]

  init(_ components: [String: FlowComponent]) { self.components = components }

  private struct SizeExceeded: Error {}

  /// A component as bytes. Made once, since a page may use a large component often.
  private struct Source {
    let html: [UInt8]
    /// Where the content of each element with an id ends, by the start of its tag; nil until a text is replaced.
    var ends: [Int: Int]?
  }

  /// The HTML with its components.
  mutating func expand(_ html: [UInt8]) -> [UInt8] {
    remaining = Self.allowance + html.count
    var output: [UInt8] = []
    var scanner = HTMLScanner(html)
    while let token = scanner.next() {
      switch token {
      case .startTag(let tag) where tag.name == Self.element: output += instance(tag, html, depth: 1)
      case .endTag(Self.element, _): break
      default: output += html[token.range]
      }
    }
    return output
  }

  /// The HTML of one `<ramp-component>`, or a comment that says why there is none.
  private mutating func instance(_ tag: HTMLTag, _ html: [UInt8], depth: Int) -> [UInt8] {
    let key = tag.value("key", in: html) ?? ""
    guard key.utf8.count <= Self.longestKey, let component = components[key] else {
      return Self.comment("unknown component", key)
    }
    guard depth <= Self.maximumDepth else { return Self.comment("nested too deeply", key) }
    let instance = tag.value("instance", in: html) ?? key
    let overrides = ComponentOverrides(tag.value("overrides", in: html))
    // What a component that becomes too large wrote before still counts, so that the time has a limit, too.
    guard let wrapped = try? wrapped(component, instance, overrides, depth: depth) else {
      return Self.comment("too large", key)
    }
    return wrapped
  }

  /// The content of a component in an element of its own.
  private mutating func wrapped(
    _ component: FlowComponent, _ instance: String, _ overrides: ComponentOverrides, depth: Int
  ) throws -> [UInt8] {
    let html = html(of: component)
    var output: [UInt8] = []
    let name = "\(component.key):\(instance)".escapedMarkup()
    try append("<div data-ramp-component=\"\(name)\">".utf8, to: &output)
    var scanner = HTMLScanner(html)
    while let token = scanner.next() {
      switch token {
      // What is read and not written counts, too.
      case .unfinished, .endTag(Self.element, _): try charge(token.range.count)
      case .startTag(let tag) where tag.name == Self.element:
        try charge(token.range.count)
        // Its own ids get the prefix of this instance, too.
        let inner = self.instance(tag, html, depth: depth + 1)
        let prefixed = try prefixed(inner, instance)
        output += prefixed
      case .startTag(let tag):
        guard let attribute = tag.attribute("data-ramp-id") else { fallthrough }
        let id = HTMLText.decoded(html[attribute.value])
        let override = overrides[id]
        try append(
          Self.startTag(tag, html, instance: instance, id: id, override), read: token.range.count, to: &output)
        if let text = override?.text, let end = try end(of: tag, in: component) {
          try append(text.escapedMarkup().utf8, to: &output)
          scanner.skip(to: end)
        }
      default: try append(html[token.range], to: &output)
      }
    }
    if let open = scanner.openElement { try append("</\(open)>".utf8, to: &output) }
    try append("</div>".utf8, to: &output)
    return output
  }

  private mutating func html(of component: FlowComponent) -> [UInt8] {
    if let known = sources[component.key] { return known.html }
    let html = Array(component.html.utf8)
    sources[component.key] = Source(html: html)
    return html
  }

  /// Where the content of an element ends; nil if it has no end tag.
  private mutating func end(of tag: HTMLTag, in component: FlowComponent) throws -> Int? {
    if let ends = sources[component.key]?.ends { return ends[tag.range.lowerBound] }
    let html = html(of: component)
    try charge(html.count)
    let ends = Self.ends(html)
    sources[component.key]?.ends = ends
    return ends[tag.range.lowerBound]
  }

  /// The HTML with the instance before each id.
  private mutating func prefixed(_ html: [UInt8], _ instance: String) throws -> [UInt8] {
    var output: [UInt8] = []
    var scanner = HTMLScanner(html)
    while let token = scanner.next() {
      if case .startTag(let tag) = token, let attribute = tag.attribute("data-ramp-id") {
        let id = HTMLText.decoded(html[attribute.value])
        try append(
          Self.startTag(tag, html, instance: instance, id: id, nil), read: token.range.count, to: &output)
      } else {
        try append(html[token.range], to: &output)
      }
    }
    return output
  }

  /// - Parameter read: the bytes of the token that is written differently.
  private mutating func append(
    _ bytes: some Collection<UInt8>, read: Int = 0, to output: inout [UInt8]
  ) throws {
    try charge(max(read, bytes.count))
    output += bytes
  }

  private mutating func charge(_ count: Int) throws {
    guard count <= remaining else {
      remaining = 0
      throw SizeExceeded()
    }
    remaining -= count
  }

  // MARK: - Tags

  /// The start tag with its new id and what an override says.
  private static func startTag(
    _ tag: HTMLTag, _ html: [UInt8], instance: String, id: String, _ override: ComponentOverrides.Override?
  ) -> [UInt8] {
    var replaced = ["data-ramp-id": "\(instance):\(id)"]
    if let source = override?.src { replaced["src"] = source }
    if let action = override?.action { replaced["data-tap-dynamic"] = action }
    var output = Array("<\(tag.name)".utf8)
    for attribute in tag.attributes where replaced[attribute.name] == nil {
      output.append(UInt8(ascii: " "))
      output += html[attribute.range]
    }
    for (name, value) in replaced.sorted(by: { $0.key < $1.key }) {
      output += Array(" \(name)=\"\(value.escapedMarkup())\"".utf8)
    }
    output += Array((tag.isSelfClosing ? " />" : ">").utf8)
    return output
  }

  /// Where the content of each element with an id ends, by the start of its tag. Elements without an end tag are not
  /// among them.
  private static func ends(_ html: [UInt8]) -> [Int: Int] {
    var ends: [Int: Int] = [:]
    var open: [String: [(start: Int, hasId: Bool)]] = [:]
    var scanner = HTMLScanner(html)
    while let token = scanner.next() {
      switch token {
      case .startTag(let tag) where !HTMLTag.voidElements.contains(tag.name):
        open[tag.name, default: []].append((tag.range.lowerBound, tag.attribute("data-ramp-id") != nil))
      case .endTag(let name, let range):
        if let (start, hasId) = open[name]?.popLast(), hasId { ends[start] = range.lowerBound }
      default: break
      }
    }
    return ends
  }

  private static func comment(_ reason: String, _ key: String) -> [UInt8] {
    // Nothing that could end the comment, and no text without end.
    let name = key.unicodeScalars.prefix(64).filter {
      $0.properties.isAlphabetic || "0123456789_.".contains(Character($0))
    }
    return Array("<!-- \(element) \(String(String.UnicodeScalarView(name))): \(reason) -->".utf8)
  }
}

/// What one use of a component changes in its elements, by `data-ramp-id`.
struct ComponentOverrides {
  struct Override {
    let text: String?
    let src: String?
    /// The text of `data-tap-dynamic`.
    let action: String?
  }

  /// Whether the text is JSON of the right form. Otherwise nothing is changed.
  let isValid: Bool
  private var members = JSONObject()

  /// - Parameter text: the attribute; nil if there is none.
  init(_ text: String?) {
    guard let text else {
      isValid = true
      return
    }
    guard case .object(let members) = try? JSONValue(text: text) else {
      isValid = false
      return
    }
    self.members = members
    isValid = members.members.allSatisfy { if case .object = $0.value { true } else { false } }
  }

  var ids: [String] { members.names }

  subscript(id: String) -> Override? {
    guard let value = members[id], case .object = value else { return nil }
    return Override(
      text: value["text"]?.stringValue, src: value["src"]?.stringValue, action: value["action"].flatMap(Self.action))
  }

  /// The rules of an action that always runs: an editor may write one action, several, or whole rules.
  private static func action(_ value: JSONValue) -> String? {
    func always(_ actions: [JSONValue]) -> String {
      (["values": [["conditionType": "if", "rules": [], "actions": .array(actions)]]] as JSONValue).text
    }
    switch value {
    case .string(let text): return text
    case .object: return value["values"] == nil ? always([value]) : value.text
    case .array(let actions): return always(actions)
    case .null, .bool, .integer, .number: return nil
    }
  }
}
