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
