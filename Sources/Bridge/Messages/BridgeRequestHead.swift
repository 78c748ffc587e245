/// What is found of a request that is not read: it is nested too deeply, too long, or holds what no text can. So its asker
/// gets an answer at once instead of waiting until it gives up.
public struct BridgeRequestHead: Sendable, Equatable {
  public let id: String
  public let domain: BridgeDomain

  /// - Parameter beginning: UTF-8 of the message, or of as much of it as there is.
  /// - Returns: nil where there is no identifier, and for what is no request.
  public init?(_ beginning: some Collection<UInt8>) {
    var reader = JSONReader(beginning)
    let texts = reader.outline(of: ["type", "id", "domain"])
    guard let id = texts["id"]?.stringValue, texts["type"] == nil || texts["type"] == "request" else { return nil }
    guard let name = texts["domain"]?.stringValue else {
      // It may come later; a client wants to be told one.
      self.init(id: id, domain: .lifecycle)
      return
    }
    guard let domain = BridgeDomain(word: name) else { return nil }
    self.init(id: id, domain: domain)
  }

  private init(id: String, domain: BridgeDomain) {
    self.id = id
    self.domain = domain
  }
}

extension BridgeError {
  /// nil for what is not JSON at all, which the protocol drops without an answer.
  public init?(_ error: JSONError) {
    switch error.reason {
    case .syntax: return nil
    case .nesting: self.init("NESTING_TOO_DEEP", error.failure.cause)
    case .loneSurrogate: self.init("MALFORMED_TEXT", error.failure.cause)
    }
  }
}
