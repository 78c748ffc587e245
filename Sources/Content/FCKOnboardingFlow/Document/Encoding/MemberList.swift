import TesseraJSON

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
