public import TesseraBridge
public import TesseraCore

/// The permissions of one web origin, or of the local programs of the user.
///
/// The text form is `ORIGIN=DOMAIN[.METHOD],…`, for example `https://wallet.example=nfc.scan,crypto`; the origin
/// `local` means the local programs. A domain without a method grants all its methods. A scan method also grants its
/// alias, the query whether a device is available, and the method that cancels the scan. An exclamation mark before a
/// domain or a method denies it, and outweighs every grant: `https://shop.example=!camera`.
public struct Grant: Sendable, Equatable {
  /// One domain, or one method of a domain.
  public struct Permission: Sendable, Hashable {
    public let domain: BridgeDomain
    /// nil for all methods.
    public let method: String?

    public init(_ domain: BridgeDomain, _ method: String? = nil) {
      self.domain = domain
      self.method = method
    }
  }

  public let caller: Caller
  public var permissions: Set<Permission>
  /// What the caller may never do, whatever else grants it.
  public var denials: Set<Permission>

  public init(_ caller: Caller, _ permissions: Set<Permission>, denying denials: Set<Permission> = []) {
    self.caller = caller
    self.permissions = permissions
    self.denials = denials
  }

  var isEmpty: Bool { permissions.isEmpty && denials.isEmpty }

  /// Parses the text form.
  ///
  /// - Parameter domains: the known domains: those of the published protocol, unless a program adds its own
  ///   (`BridgeDomain.published + [.printer]`).
  /// - Throws: `Failure` of the kind `usage` that describes the error.
  public init(_ text: some StringProtocol, of domains: [BridgeDomain] = BridgeDomain.published) throws(Failure) {
    guard let sign = text.firstIndex(of: "=") else {
      throw Failure(.usage, "The grant has no \"=\".", remedy: "Write ORIGIN=DOMAIN[.METHOD],…")
    }
    let name = Self.trimmed(text[..<sign])
    caller = name == "local" ? .local : .web(origin: try Self.origin(String(name)).canonical)
    permissions = []
    denials = []
    for word in text[text.index(after: sign)...].split(separator: ",", omittingEmptySubsequences: false) {
      let word = Self.trimmed(word)
      if Self.isForgotten(word) { continue }
      if word.first == "!" {
        denials.insert(try Permission(word.dropFirst(), of: domains))
      } else {
        permissions.insert(try Permission(word, of: domains))
      }
    }
  }

  /// Whether the word is about texts (`i18n`), which earlier versions could grant. No page needs a grant for them.
  private static func isForgotten(_ word: some StringProtocol) -> Bool {
    (word.first == "!" ? word.dropFirst() : word[...]).split(separator: ".").first == "i18n"
  }

  /// Refuses http origins on other machines: an attacker on the network can change the content of their pages.
  private static func origin(_ name: String) throws(Failure) -> WebOrigin {
    let origin = try WebOrigin(named: name)
    guard origin.scheme == .https || origin.isLoopback else {
      throw Failure(
        .usage, "The grant's origin uses http on another machine.",
        remedy: "Serve the page over https, or from this machine (localhost, 127.0.0.1).")
    }
    return origin
  }

  /// Removes leading and trailing spaces and tabs, and no other white space.
  private static func trimmed(_ text: some StringProtocol) -> Substring {
    var text = Substring(text)
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}

extension Grant: CustomStringConvertible {
  /// The name of the caller in the text form: its origin, or `local`.
  package var name: String {
    switch caller {
    case .local: "local"
    case .web(let origin): origin
    }
  }

  /// The text form, as in the grants file.
  public var description: String {
    let words = permissions.map(\.description).sorted() + denials.map { "!\($0)" }.sorted()
    return "\(name) = \(words.joined(separator: ", "))"
  }
}

extension Grant.Permission: CustomStringConvertible {
  public var description: String { method.map { "\(domain.rawValue).\($0)" } ?? domain.rawValue }

  /// The permission itself and all that it implies.
  var covered: [Grant.Permission] {
    guard let method else { return [self] }
    return domain.methods(grantedWith: method).map { Grant.Permission(domain, $0) }
  }

  /// What a denial of this one denies.
  var denied: [Grant.Permission] {
    guard let method else { return [self] }
    return domain.methods(deniedWith: method).map { Grant.Permission(domain, $0) }
  }
}

extension Grant.Permission {
  /// Parses `DOMAIN` or `DOMAIN.METHOD`.
  ///
  /// - Parameter domains: the known domains.
  /// - Throws: `Failure` of the kind `usage` that lists the known names.
  public init(_ word: some StringProtocol, of domains: [BridgeDomain] = BridgeDomain.published) throws(Failure) {
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    guard let name = parts.first, let domain = domains.first(where: { name.utf8.elementsEqual($0.rawValue.utf8) })
    else {
      let names = domains.map(\.rawValue).joined(separator: ", ")
      // Who has said which domains there are needs no hint how to.
      let hint = domains == BridgeDomain.published ? " A program passes a domain of its own by `of:`." : ""
      let near = NearNames.of(String(parts.first ?? ""), in: domains.map(\.rawValue)).map { "`\($0)`" }
      let question = near.isEmpty ? "" : " Did you mean \(near.joined(separator: " or "))?"
      throw Failure(.usage, "The grant names an unknown domain.\(question)", remedy: "Use one of: \(names).\(hint)")
    }
    guard parts.count > 1 else {
      self.init(domain)
      return
    }
    let method = parts[1]
    guard parts.count == 2, let method = domain.methods.first(where: { method.utf8.elementsEqual($0.utf8) }) else {
      throw Failure(
        .usage, "The grant names an unknown method of the domain \(domain.rawValue).",
        remedy: "Use one of: \(domain.methods.joined(separator: ", ")).")
    }
    self.init(domain, method)
  }
}

extension Grant {
  /// The permissions that the published web client of the Self SDK needs, in all its versions.
  public static func selfClient(_ origin: WebOrigin) -> Grant {
    let whole: [BridgeDomain] = [.analytics, .biometrics, .lifecycle]
    let methods: [(BridgeDomain, [String])] = [
      (.camera, ["scanMRZ"]), (.crypto, ["generateKey", "getPublicKey", "sign"]),
      (.documents, ["loadCatalog", "saveCatalog", "loadById", "save", "delete"]), (.haptic, ["trigger"]),
      (.nfc, ["scan"]), (.secureStorage, ["get", "set", "remove"]),
    ]
    return Grant(
      .web(origin: origin.canonical),
      Set(whole.map { Permission($0) } + methods.flatMap { domain, names in names.map { Permission(domain, $0) } }))
  }

  /// What both a grant and a denial of one caller name, which may stand in several lines: the denial wins.
  package static func outweighed(in grants: [Grant]) -> [(name: String, permissions: Set<Permission>)] {
    Set(grants.map(\.name)).sorted().compactMap { name in
      let own = grants.filter { $0.name == name }
      let denials = Set(own.flatMap(\.denials))
      let lost = Set(own.flatMap(\.permissions)).filter {
        denials.contains($0) || denials.contains(Permission($0.domain))
      }
      return lost.isEmpty ? nil : (name, lost)
    }
  }

  /// What a caller lacks that was refused a method. Who signs, or makes a key to sign with, needs all that belongs to it.
  package static func lacking(_ caller: Caller, _ domain: BridgeDomain, _ method: String) -> Grant {
    let isSigning = domain == .crypto && ["generateKey", "sign"].contains(method)
    let methods = isSigning ? ["generateKey", "getPublicKey", "sign"] : [method]
    return Grant(caller, Set(methods.map { Permission(domain, $0) }))
  }

  /// The text form without spaces.
  package var argument: String { description.replacing(" ", with: "") }

  /// The command that adds it to the grants file.
  package var command: String {
    // Shells take brackets for a pattern.
    "tessera grants add \(argument.contains("[") ? "'\(argument)'" : argument)"
  }
}
