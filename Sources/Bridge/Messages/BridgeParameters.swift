/// The `params` of a request, read as the existing native sides read them: a number or boolean counts as its text,
/// and null as absent.
public struct BridgeParameters: Sendable, Equatable {
  public let values: JSONObject

  public init(_ values: JSONObject = [:]) { self.values = values }

  /// The raw value; nil also for null.
  public subscript(key: String) -> JSONValue? {
    guard let value = values[key], value != .null else { return nil }
    return value
  }

  /// - Throws: `BridgeError` `INTERNAL_ERROR` for an object or array.
  public func string(_ key: String) throws(BridgeError) -> String? {
    switch self[key] {
    case nil: return nil
    case .string(let text): return text
    case .integer(let number): return String(number)
    case .number(let number): return number.text
    case .bool(let flag): return flag ? "true" : "false"
    default: throw BridgeError("INTERNAL_ERROR", "The parameter \"\(key)\" is not a plain value.")
    }
  }

  /// - Throws: the given error code when the parameter is absent.
  public func present(_ key: String, orElse code: String) throws(BridgeError) -> String {
    guard let text = try string(key) else { throw BridgeError(code, "The parameter \"\(key)\" is missing.") }
    return text
  }

  /// - Throws: the given error code when the parameter is absent or empty.
  public func required(_ key: String, orElse code: String) throws(BridgeError) -> String {
    let text = try present(key, orElse: code)
    guard !text.isEmpty else { throw BridgeError(code, "The parameter \"\(key)\" is empty.") }
    return text
  }

  /// Text counts as true when it is `true` in any case.
  public func bool(_ key: String) throws(BridgeError) -> Bool {
    try string(key)?.isTrue ?? false
  }
}

extension String {
  /// `true` in any case.
  var isTrue: Bool { isWord && lowercased() == "true" }
}
