/// An analytics event, reduced to the values that `AnalyticsVocabulary` lists. It contains no text that a page can
/// choose freely, such as messages, identifiers and names.
public struct AnalyticsEvent: Sendable, Equatable {
  /// The method that reported the event.
  public enum Kind: String, Sendable, CaseIterable {
    case trackEvent, trackNfcEvent, logNfcEvent
  }

  public enum Level: String, Sendable, CaseIterable {
    case debug, info, warn, error
  }

  public let kind: Kind
  /// nil if the allow-list does not contain the name.
  public let name: String?
  /// The level of `logNfcEvent`; nil for other methods.
  public let level: Level?
  /// The step of a scan.
  public let step: String?
  /// The error code of the protocol.
  public let errorCode: String?
  public let numbers: [String: Int64]
  public let flags: [String: Bool]

  /// Reads the parameters of any client generation: values are members of the parameters or of one of four objects in
  /// them.
  init(_ kind: Kind, _ parameters: BridgeParameters) {
    let objects =
      [parameters]
      + ["payload", "properties", "context", "details"].compactMap { key -> BridgeParameters? in
        guard case .object(let members)? = parameters[key] else { return nil }
        return BridgeParameters(members)
      }
    func first<Value>(_ keys: String..., as read: (String) -> Value?) -> Value? {
      for object in objects {
        for key in keys {
          if case .string(let text)? = object[key], text.isProtocolName, let value = read(text) { return value }
        }
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
    for object in objects {
      for (key, number) in AnalyticsVocabulary.numbers where numbers[key] == nil {
        numbers[key] = number.rounded(object[key])
      }
      for key in AnalyticsVocabulary.flags where flags[key] == nil {
        if case .bool(let flag)? = object[key] { flags[key] = flag }
      }
    }
    self.numbers = numbers
    self.flags = flags
  }

  /// One flat object without the absent values.
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
