import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A message from the bridge to a client: a response or an event. Every field is always written, since clients discard
/// incomplete messages.
public enum BridgeMessage: Sendable, Equatable {
  case response(to: String, domain: BridgeDomain, Result<JSONValue, BridgeError>)
  case event(domain: BridgeDomain, name: String, data: JSONValue)
  /// The failed response to a request of a domain that this host does not know (`VersionMismatch`).
  case refusal(to: String, domain: String, BridgeError)

  private typealias Field = (name: String, value: JSONValue)

  /// All fields, in the order in which they are written, with a new identifier and the current time.
  private var fields: [Field] {
    switch self {
    case .response(let request, let domain, .success(let data)): Self.response(request, domain.rawValue, data, .null)
    case .response(let request, let domain, .failure(let error)):
      Self.response(request, domain.rawValue, .null, error.json)
    case .refusal(let request, let domain, let error): Self.response(request, domain, .null, error.json)
    case .event(let domain, let name, let data):
      [
        ("version", .integer(BridgeRequest.protocolVersion)), ("id", .string(MessageIdentifier.next())),
        ("timestamp", Self.timestamp), ("type", "event"), ("domain", .string(domain.rawValue)),
        ("event", .string(name)), ("data", data),
      ]
    }
  }

  private static func response(
    _ request: String, _ domain: String, _ data: JSONValue, _ error: JSONValue
  ) -> [Field] {
    [
      ("version", .integer(BridgeRequest.protocolVersion)), ("id", .string(MessageIdentifier.next())),
      ("timestamp", timestamp), ("type", "response"), ("domain", .string(domain)), ("requestId", .string(request)),
      ("success", .bool(error == .null)), ("data", data), ("error", error),
    ]
  }

  private static var timestamp: JSONValue { .integer(Int64(Date.now.timeIntervalSince1970 * 1000)) }

  /// The message with a new identifier and the current time.
  public var json: JSONValue {
    var object = JSONObject()
    for field in fields { object[field.name] = field.value }
    return .object(object)
  }

  /// One line of JSON, with a new identifier and the current time.
  public var text: String { String(decoding: encoded(), as: UTF8.self) }

  /// `text` in UTF-8.
  ///
  /// - Parameter additions: members that follow the fields of the protocol.
  package func encoded(adding additions: [(name: String, value: JSONValue)] = []) -> [UInt8] {
    var writer = JSONWriter()
    writer.writeObject(additions.isEmpty ? fields : fields + additions)
    return writer.bytes
  }

  /// A script that delivers the message to a page when it is evaluated in the main frame.
  public var script: String {
    let function =
      switch self {
      case .response, .refusal: "_handleResponse"
      case .event: "_handleEvent"
      }
    return "window.SelfNativeBridge.\(function)(\(ScriptLiteral.quote(text)))"
  }
}

extension BridgeError {
  fileprivate var json: JSONValue {
    ["code": .string(code), "message": .string(message), "details": details ?? nil]
  }
}

/// Identifiers of messages, in the form of a random UUID (RFC 9562, version 4).
///
/// They only have to be unique, so SplitMix64 generates them from one random seed. Foundation's `UUID()` reads
/// `/dev/urandom` for each one, which took most of the time of a short response.
private enum MessageIdentifier {
  private static let state = Atomic<UInt64>(UInt64.random(in: .min ... .max))
  private static let digits = Array("0123456789abcdef".utf8)

  static func next() -> String {
    let high = random() & ~0xF000 | 0x4000
    let low = random() & ~(0b11 << 62) | 0b10 << 62
    return String(unsafeUninitializedCapacity: 36) { text in
      var position = 0
      for index in 0..<32 {
        if index == 8 || index == 12 || index == 16 || index == 20 {
          text[position] = UInt8(ascii: "-")
          position += 1
        }
        let half = index < 16 ? high : low
        text[position] = digits[Int(half >> UInt64(60 - 4 * (index % 16)) & 0xF)]
        position += 1
      }
      return position
    }
  }

  private static func random() -> UInt64 {
    var number = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
    number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
    number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
    return number ^ number >> 31
  }
}

/// A value with personal data. Its descriptions hide the content, so that no log and no error message shows it by
/// accident.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Redacted {
  public var description: String { "<redacted>" }
  public var debugDescription: String { "<redacted>" }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
