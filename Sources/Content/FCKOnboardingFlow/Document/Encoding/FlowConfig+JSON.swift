public import TesseraJSON

extension FlowConfig {
  /// The flat form of the document, with all values written out. Reading it gives an equal flow: the mobile SDK's own
  /// form does not survive this.
  ///
  /// Elements without an id of the document get their ids again when they are read.
  public var json: JSONValue {
    var list = MemberList()
    list.add("flowId", flowId)
    list.add("name", name)
    list.add("version", .integer(Int64(version)))
    list.add("screens", screens, \.json)
    list.add("theme", theme?.json)
    list.add("variables", variables, \.json)
    list.add("updatedAt", updatedAt)
    return list.json
  }
}

extension FlowScreen {
  fileprivate var json: JSONValue {
    let type =
      switch kind {
      case .informational: "informational"
      case .question: "question"
      case .unknown(let type): type
      }
    var list = MemberList()
    list.add("id", id)
    list.add("type", type)
    list.add("showProgressBar", showProgressBar)
    list.add("root", root.json)
    list.add("router", ["routes": .array(routes.map(\.json))])
    return list.json
  }
}

extension FlowRoute {
  fileprivate var json: JSONValue {
    var list = MemberList()
    list.add("condition", condition)
    list.add("targetScreenId", targetScreenId)
    return list.json
  }
}

extension FlowTheme {
  fileprivate var json: JSONValue {
    var list = MemberList()
    list.add("variables", variables, \.json)
    list.add("primaryColor", primaryColor)
    list.add("backgroundColor", backgroundColor)
    list.add("textColor", textColor)
    list.add("fontFamily", fontFamily)
    return list.json
  }
}

extension FlowTheme.Variable {
  fileprivate var json: JSONValue {
    var list = MemberList()
    list.add("id", id)
    list.add("key", key)
    list.add("name", name)
    list.add("type", type)
    list.add("category", category)
    list.add("darkValue", darkValue)
    list.add("lightValue", lightValue)
    list.add("defaultValue", defaultValue)
    list.add("description", description)
    return list.json
  }
}

extension FlowVariable {
  fileprivate var json: JSONValue {
    var list = MemberList()
    list.add("id", id)
    list.add("key", key)
    list.add("name", name)
    list.add("type", type)
    list.add("defaultValue", defaultValue)
    return list.json
  }
}

/// The members of an object that is written. What is nil is left out.
struct MemberList {
  private(set) var members = JSONObject()

  var json: JSONValue { .object(members) }

  mutating func add(_ name: String, _ value: JSONValue?) { members[name] = value }

  mutating func add(_ name: String, _ text: String?) { members[name] = text.map(JSONValue.string) }

  mutating func add(_ name: String, _ number: Double?) { members[name] = number.map(JSONValue.init(measure:)) }

  mutating func add(_ name: String, _ flag: Bool?) { members[name] = flag.map(JSONValue.bool) }

  mutating func add(_ name: String, _ color: FlowColor?) { members[name] = color?.json }

  mutating func add<Element>(_ name: String, _ list: [Element], _ json: (Element) -> JSONValue) {
    members[name] = .array(list.map(json))
  }
}
