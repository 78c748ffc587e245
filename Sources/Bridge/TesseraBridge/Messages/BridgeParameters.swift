/// The `params` of a request. As in the mobile SDKs, a number or boolean counts as its text; null counts as absent.
public struct BridgeParameters: Sendable, Equatable {
  public let values: JSONObject

  public init(_ values: JSONObject = [:]) { self.values = values }

  /// The value; nil also for null.
  public subscript(key: String) -> JSONValue? {
    guard let value = values[key], value != .null else { return nil }
    return value
  }

  /// The text of the parameter; nil if it is absent.
  ///
  /// - Throws: `BridgeError` `INTERNAL_ERROR` for an object or array.
  public func string(_ key: String) throws(BridgeError) -> String? {
    switch self[key] {
    case nil: return nil
    case .string(let text): return text
    case .integer(let number): return String(number)
    case .number(let number): return number.text
    case .bool(let flag): return flag ? "true" : "false"
    default: throw BridgeError("INTERNAL_ERROR", "The parameter \"\(key)\" is an object or array, not a text.")
    }
  }

  /// The text of a mandatory parameter, which may be empty.
  ///
  /// - Throws: `BridgeError` with `code` if the parameter is absent.
  public func present(_ key: String, orElse code: String) throws(BridgeError) -> String {
    guard let text = try string(key) else { throw BridgeError(code, "The parameter \"\(key)\" is missing.") }
    return text
  }

  /// The text of a mandatory parameter, which must not be empty.
  ///
  /// - Throws: `BridgeError` with `code` if the parameter is absent or empty.
  public func required(_ key: String, orElse code: String) throws(BridgeError) -> String {
    let text = try present(key, orElse: code)
    guard !text.isEmpty else { throw BridgeError(code, "The parameter \"\(key)\" is empty.") }
    return text
  }

  /// The text `true` in any letter case is true, everything else is false.
  public func bool(_ key: String) throws(BridgeError) -> Bool {
    try string(key)?.isTrue ?? false
  }
}

extension String {
  /// Whether the text is `true` in any letter case.
  var isTrue: Bool { isProtocolName && lowercased() == "true" }
}
