public import Bridge
public import Failures

/// What one origin, or the local user's programs, may ask for.
///
/// Written `ORIGIN=DOMAIN[.METHOD],…`, on the command line as in the file: `https://wallet.example=nfc,crypto.sign`; the
/// local user's programs are called `local`. A domain without a method stands for all its methods; a scan brings its other
/// name with it, the question whether there is a device, and the way to end it.
public struct Grant: Sendable, Equatable {
  /// A domain, or one method of it.
  public struct Permission: Sendable, Hashable {
    public let domain: BridgeDomain
    /// nil for all of them.
    public let method: String?

    public init(_ domain: BridgeDomain, _ method: String? = nil) {
      self.domain = domain
      self.method = method
    }
  }

  public let caller: BridgeCaller
  public let permissions: Set<Permission>

  public init(_ caller: BridgeCaller, _ permissions: Set<Permission>) {
    self.caller = caller
    self.permissions = permissions
  }

  /// - Throws: `Failure` of the kind `usage`, which says what is wrong.
  public init(_ text: some StringProtocol) throws(Failure) {
    guard let sign = text.firstIndex(of: "=") else {
      throw Failure(.usage, "A grant has no \"=\".", remedy: "Write ORIGIN=DOMAIN[.METHOD],…")
    }
    let name = Self.trimmed(text[..<sign])
    caller = name == "local" ? .local : .web(origin: try Self.origin(String(name)).canonical)
    var permissions: Set<Permission> = []
    for word in text[text.index(after: sign)...].split(separator: ",", omittingEmptySubsequences: false) {
      permissions.insert(try Permission(Self.trimmed(word)))
    }
    self.permissions = permissions
  }

  /// Whoever is on the way to another machine can put content of his own into a page that comes by http.
  private static func origin(_ name: String) throws(Failure) -> WebOrigin {
    let origin = try WebOrigin(named: name)
    guard origin.scheme == .https || origin.isLoopback else {
      throw Failure(
        .usage, "A grant's origin is one of http on another machine.",
        remedy: "Serve the page by https, or from this machine (localhost, 127.0.0.1).")
    }
    return origin
  }

  /// Without the spaces and tabs around it; no other character is a space here.
  private static func trimmed(_ text: some StringProtocol) -> Substring {
    var text = Substring(text)
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return text
  }
}

extension Grant: CustomStringConvertible {
  /// As it stands in the file of grants.
  public var description: String {
    let name =
      switch caller {
      case .local: "local"
      case .web(let origin): origin
      }
    return "\(name) = \(permissions.map(\.description).sorted().joined(separator: ", "))"
  }
}

extension Grant.Permission: CustomStringConvertible {
  public var description: String { method.map { "\(domain.rawValue).\($0)" } ?? domain.rawValue }

  /// Itself, and what comes with it.
  var covered: [Grant.Permission] {
    guard let method else { return [self] }
    return domain.methods(grantedWith: method).map { Grant.Permission(domain, $0) }
  }
}

extension Grant.Permission {
  fileprivate init(_ word: Substring) throws(Failure) {
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    guard let name = parts.first, let domain = BridgeDomain(rawValue: String(name)) else {
      let names = BridgeDomain.allCases.map(\.rawValue).joined(separator: ", ")
      throw Failure(
        .usage, "A grant names a domain that the bridge does not have.", remedy: "Its domains are \(names).")
    }
    guard parts.count > 1 else {
      self.init(domain)
      return
    }
    let method = parts[1]
    guard parts.count == 2, let method = domain.methods.first(where: { method.utf8.elementsEqual($0.utf8) }) else {
      throw Failure(
        .usage, "A grant names a method that the domain \(domain.rawValue) does not have.",
        remedy: "Its methods are \(domain.methods.joined(separator: ", ")).")
    }
    self.init(domain, method)
  }
}
