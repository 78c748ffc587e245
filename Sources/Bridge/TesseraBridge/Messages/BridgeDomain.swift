/// A domain of the bridge: its name, and what it says of itself. Domains of the same name are equal.
///
/// A domain stands beside its handler. A program that has a handler of its own describes its domain in the same way; a
/// router that serves the handler then knows the domain (`MessageRouter.serving(_:)`):
///
/// ```swift
/// extension BridgeDomain {
///   /// The printer of the counter.
///   static let printer = BridgeDomain("printer", methods: ["print"], wish: "wants to print a receipt.")
/// }
/// ```
public struct BridgeDomain: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
  /// The name in messages.
  public let rawValue: String
  /// The methods; for `custody`, which has no handler, those that its clients call.
  public let methods: [String]
  /// What a page wants that uses the domain, as the end of a sentence that begins with its origin. A window asks the user
  /// with it. nil for a domain without a device and without data of the user: no page needs a grant for it in a window,
  /// since the user sees the page and can close it.
  public let wish: String?
  /// Whether a request waits for the one before it, so that a read sees every earlier write.
  public let isInOrder: Bool
  private let included: [String: [String]]
  private let alsoDenied: [String: [String]]

  /// Describes a domain.
  ///
  /// - Parameters:
  ///   - name: at most 64 ASCII characters; requests of a longer name are malformed.
  ///   - methods: the names of the methods, without which no grant can name them.
  ///   - granting: by method, the other methods that a grant of it includes.
  ///   - isInOrder: whether a request waits for the one before it.
  ///   - wish: what a page wants, for example `wants to print a receipt.`; nil if no page needs a grant in a window.
  public init(
    _ name: String, methods: [String], granting included: [String: [String]] = [:], isInOrder: Bool = false,
    wish: String?
  ) {
    self.init(name, methods: methods, granting: included, denying: [:], isInOrder: isInOrder, wish: wish)
  }

  private init(
    _ name: String, methods: [String], granting included: [String: [String]], denying alsoDenied: [String: [String]],
    isInOrder: Bool, wish: String?
  ) {
    rawValue = name
    self.methods = methods
    self.wish = wish
    self.isInOrder = isInOrder
    self.included = included
    self.alsoDenied = alsoDenied
  }

  /// A domain whose methods are the cases of a type.
  ///
  /// - Parameters:
  ///   - included: the other methods that a grant of a method includes.
  ///   - alsoDenied: the methods that a denial of a method denies, although neither's grant includes the other.
  init<Method: CaseIterable & RawRepresentable<String>>(
    _ name: String, _: Method.Type, granting included: (Method) -> [Method] = { _ in [] },
    denying alsoDenied: (Method) -> [Method] = { _ in [] }, isInOrder: Bool = false, wish: String?
  ) {
    func byName(_ others: (Method) -> [Method]) -> [String: [String]] {
      Dictionary(uniqueKeysWithValues: Method.allCases.map { ($0.rawValue, others($0).map(\.rawValue)) })
    }
    self.init(
      name, methods: Method.allCases.map(\.rawValue), granting: byName(included), denying: byName(alsoDenied),
      isInOrder: isInOrder, wish: wish)
  }

  /// The published domain of this name; nil for every other name.
  public init?(rawValue: String) {
    guard let domain = Self.publishedByName[rawValue] else { return nil }
    self = domain
  }

  public var description: String { rawValue }

  /// Whether every host knows the domain.
  package var isPublished: Bool { Self.publishedByName[rawValue] != nil }

  public static func == (one: BridgeDomain, other: BridgeDomain) -> Bool { one.rawValue == other.rawValue }

  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  static let publishedByName = byName(published)

  /// Of several domains with one name, the first.
  static func byName(_ domains: [BridgeDomain]) -> [String: BridgeDomain] {
    Dictionary(domains.map { ($0.rawValue, $0) }) { first, _ in first }
  }
}

extension BridgeDomain {
  /// The methods that a grant of `method` includes: a scan includes its other name and the methods that query and stop
  /// it.
  package func methods(grantedWith method: String) -> [String] { [method] + (included[method] ?? []) }

  /// The methods that a denial of `method` denies: those that a grant of it includes, and those whose grant includes it. A
  /// report contains all that a scan does, so that it is denied with the scan. What another scan needs as well, such as the
  /// method that stops both, stays as it is as long as that scan is not denied.
  package func methods(deniedWith method: String) -> [String] {
    let related = methods(grantedWith: method) + (alsoDenied[method] ?? [])
    let denied = related + methods.filter { !related.contains($0) && methods(grantedWith: $0).contains(method) }
    let needed = methods.filter { !denied.contains($0) }.flatMap { methods(grantedWith: $0) }
    return denied.filter { $0 == method || !needed.contains($0) }
  }
}

extension BridgeDomain {
  /// Used by the newest clients, in browser extensions only. There is no handler: no published native side defines its
  /// secrets and how devices are linked. A host with its own handler registers it and sets `Launch.hasCustody`.
  public static let custody = BridgeDomain(
    "custody",
    methods: [
      "state", "lock", "reset", "cancelLinkSession", "enablePasskey", "passwordStrength", "createLinkSession",
      "completeLink", "unlock", "unlockPasskey",
    ], wish: "wants to manage the custody of your keys.")
}

extension String {
  /// Whether the text can be a name of the protocol: ASCII of at most 64 bytes, which is quick to compare.
  var isProtocolName: Bool { utf8.count <= 64 && utf8.allSatisfy { $0 < 0x80 } }

  /// The name as a message quotes it. nil for what has other characters than names, and could be taken for a part of the
  /// message.
  var quotedName: String? {
    guard isProtocolName, !isEmpty, allSatisfy({ $0.isLetter || $0.isNumber || "._-".contains($0) }) else { return nil }
    return "`\(self)`"
  }
}

extension RawRepresentable where RawValue == String {
  /// The case with this raw value, for text from content.
  init?(protocolName name: String) {
    guard name.isProtocolName else { return nil }
    self.init(rawValue: name)
  }
}
