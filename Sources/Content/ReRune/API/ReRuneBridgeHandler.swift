public import TesseraBridge

extension BridgeDomain {
  /// The texts of a program that has `ReRuneBridgeHandler`. An addition of Tessera, so it is not published: to a client of
  /// any other host it is a domain that does not exist.
  public static let i18n = BridgeDomain("i18n", methods: ["get"], wish: nil)
}

/// The `i18n` domain, for pages of a program: `get` with `{"keys": ["home_title", …]}` responds with an object of the texts by
/// their keys. A key without a text has itself as its text, as in a lookup. With `{"keys": ["files"], "counts": {"files": 3}}`
/// the text is the form for that number (`reRuneString(_:count:)`).
///
/// The domain is an addition of Tessera. Without this handler its requests are dropped. The texts are no HTML: a page must
/// escape them, or set them as `textContent`.
public struct ReRuneBridgeHandler: BridgeHandler {
  public let domain = BridgeDomain.i18n
  private let strings: OverTheAirStrings

  private static let maximumKeys = 1_000
  private static let maximumKeyLength = 1_024

  /// The texts of `ReRune`.
  public init() { self.init(ReRune.shared) }

  init(_ strings: OverTheAirStrings) { self.strings = strings }

  /// - Throws: `BridgeError` with the code `METHOD_NOT_FOUND`, or `INVALID_PARAMS` if `keys` is no list of at most 1,000
  ///   texts, one has over 1,024 bytes, or `counts` is no object of whole numbers.
  public func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard request.method == "get" else { throw BridgeError.methodNotFound(request) }
    guard case .array(let list)? = request.parameters["keys"], list.count <= Self.maximumKeys else {
      throw BridgeError("INVALID_PARAMS", "The parameter \"keys\" must be a list of at most \(Self.maximumKeys) texts.")
    }
    var counts = JSONObject()
    if let parameter = request.parameters["counts"], parameter != .null {
      guard case .object(let object) = parameter else {
        throw BridgeError("INVALID_PARAMS", "The parameter \"counts\" must be an object of whole numbers.")
      }
      counts = object
    }
    var texts = JSONObject()
    for element in list {
      guard let key = element.stringValue, key.utf8.count <= Self.maximumKeyLength else {
        throw BridgeError("INVALID_PARAMS", "Each key must be a text of at most \(Self.maximumKeyLength) bytes.")
      }
      switch counts[key] {
      case nil: texts[key] = .string(strings.text(key).text)
      case .integer(let count)?: texts[key] = .string(strings.text(key, count: Int(count)).text)
      default: throw BridgeError("INVALID_PARAMS", "The parameter \"counts\" must be an object of whole numbers.")
      }
    }
    return .object(texts)
  }

  /// The events `revision` with `{"revision": 7}`: one for the current revision, then one after each change of the texts. The
  /// program delivers them to its pages (`BridgeMessage.script`), which then ask for their texts again.
  public var events: some AsyncSequence<BridgeMessage, Never> & Sendable {
    strings.revisions().map { .event(domain: .i18n, name: "revision", data: ["revision": .integer(Int64($0))]) }
  }
}
