/// What may be kept of an event: what `AnalyticsVocabulary` lists, and nothing else. Texts of the page's own choosing
/// (messages, identifiers, names of documents and people) have no way in.
public struct AnalyticsEvent: Sendable, Equatable {
  /// The method that it came by.
  public enum Kind: String, Sendable, CaseIterable {
    case trackEvent, trackNfcEvent, logNfcEvent
  }

  public enum Level: String, Sendable, CaseIterable {
    case debug, info, warn, error
  }

  public let kind: Kind
  /// nil where the page's name for it is none that may be kept.
  public let name: String?
  /// Of `logNfcEvent`.
  public let level: Level?
  /// A step of a scan.
  public let step: String?
  /// A code of the protocol.
  public let errorCode: String?
  public let numbers: [String: Int64]
  public let flags: [String: Bool]

  /// Reads the parameters of any generation of clients: the facts may lie beside the name or in one of four objects.
  init(_ kind: Kind, _ parameters: BridgeParameters) {
    let places =
      [parameters]
      + ["payload", "properties", "context", "details"].compactMap { key -> BridgeParameters? in
        guard case .object(let members)? = parameters[key] else { return nil }
        return BridgeParameters(members)
      }
    func first<Fact>(_ keys: String..., as read: (String) -> Fact?) -> Fact? {
      for place in places {
        for key in keys { if case .string(let text)? = place[key], text.isWord, let fact = read(text) { return fact } }
      }
      return nil
    }
    self.kind = kind
    name = first("event", "name") { AnalyticsVocabulary.isEventName($0) ? $0 : nil }
    level = kind == .logNfcEvent ? first("level", as: Level.init(rawValue:)) ?? .info : nil
    step = first("step") { AnalyticsVocabulary.steps.contains($0) ? $0 : nil }
    errorCode = first("errorCode") { AnalyticsVocabulary.errorCodes.contains($0) ? $0 : nil }
    var numbers: [String: Int64] = [:]
    var flags: [String: Bool] = [:]
    for place in places {
      for (key, number) in AnalyticsVocabulary.numbers where numbers[key] == nil {
        numbers[key] = number.kept(place[key])
      }
      for key in AnalyticsVocabulary.flags where flags[key] == nil {
        if case .bool(let flag)? = place[key] { flags[key] = flag }
      }
    }
    self.numbers = numbers
    self.flags = flags
  }

  /// One flat object; what is not set is left out.
  public var json: JSONValue {
    var fields: JSONObject = ["kind": .string(kind.rawValue)]
    fields["name"] = name.map(JSONValue.string)
    fields["level"] = level.map { .string($0.rawValue) }
    fields["step"] = step.map(JSONValue.string)
    fields["errorCode"] = errorCode.map(JSONValue.string)
    for (name, number) in numbers.sorted(by: { $0.key < $1.key }) { fields[name] = .integer(number) }
    for (name, flag) in flags.sorted(by: { $0.key < $1.key }) { fields[name] = .bool(flag) }
    return .object(fields)
  }
}
