internal import TesseraJSON

extension PassageConfig {
  var hostJSON: JSONValue {
    var members = JSONObject()
    for text in Self.texts { members[text.name] = .string(self[keyPath: text.path]) }
    for text in Self.optionalTexts { members[text.name] = self[keyPath: text.path].map(JSONValue.string) }
    for flag in Self.flags { members[flag.name] = .bool(self[keyPath: flag.path]) }
    return .object(members)
  }

  /// Members that are missing have their defaults, except for the addresses that every configuration has.
  init(hostJSON json: JSONValue) throws(HostMessageError) {
    guard let uiUrl = try Self.text("uiUrl", json) else { throw .missing("uiUrl") }
    guard let apiUrl = try Self.text("apiUrl", json) else { throw .missing("apiUrl") }
    self.init(uiUrl: uiUrl, apiUrl: apiUrl)
    for text in Self.texts {
      if let value = try Self.text(text.name, json) { self[keyPath: text.path] = value }
    }
    for text in Self.optionalTexts { self[keyPath: text.path] = try Self.text(text.name, json) }
    for flag in Self.flags {
      switch json[flag.name] {
      case nil: break
      case .bool(let isSet)?: self[keyPath: flag.path] = isSet
      default: throw .wrong(flag.name)
      }
    }
  }

  // MARK: - Members

  private typealias Member<Value> = (name: String, path: WritableKeyPath<PassageConfig, Value>)

  private static var texts: [Member<String>] {
    [
      ("uiUrl", \.uiUrl), ("apiUrl", \.apiUrl), ("socketNamespace", \.socketNamespace), ("agentName", \.agentName),
    ]
  }

  private static var optionalTexts: [Member<String?>] {
    [
      ("socketUrl", \.socketUrl), ("sessionUrl", \.sessionUrl), ("automationUrl", \.automationUrl),
      ("analyticsUrl", \.analyticsUrl),
    ]
  }

  private static var flags: [Member<Bool>] {
    [("sendsJoin", \.sendsJoin), ("sendsResultsOverSocket", \.sendsResultsOverSocket)]
  }

  /// The longest text, in bytes.
  private static let maximumLength = 4_096

  private static func text(_ name: String, _ json: JSONValue) throws(HostMessageError) -> String? {
    guard let value = json[name] else { return nil }
    guard let text = value.stringValue else { throw .wrong(name) }
    guard text.utf8.count <= maximumLength else { throw .tooLong(name) }
    return text
  }
}
