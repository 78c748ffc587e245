public import Bridge
public import Failures

/// What one origin, or the local user's programs, may ask for.
///
/// Written `ORIGIN=DOMAIN[.METHOD],…`, on the command line as in the file: `https://wallet.example=nfc,crypto.sign`; the
/// local user's programs are called `local`. A domain without a method stands for all its methods; a method is granted
/// under the name that it is given, and not under another name that means the same.
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
    caller = name == "local" ? .local : .web(origin: try WebOrigin(granted: String(name)).canonical)
    var permissions: Set<Permission> = []
    for word in text[text.index(after: sign)...].split(separator: ",", omittingEmptySubsequences: false) {
      permissions.insert(try Permission(Self.trimmed(word)))
    }
    self.permissions = permissions
  }

  private static func trimmed(_ text: some StringProtocol) -> Substring {
    var text = Substring(text)
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
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
    guard parts.count == 2, !method.isEmpty, method.utf8.allSatisfy(Self.isLetter) else {
      throw Failure(.usage, "A grant names no method after the point.", remedy: "For example: crypto.sign")
    }
    self.init(domain, String(method))
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    default: false
    }
  }
}
