/// The identifier and domain of a request that cannot be parsed: it is nested too deeply, too long, or has malformed
/// text. With them the client receives an error at once, instead of waiting for its timeout.
package struct BridgeRequestHead: Sendable, Equatable {
  package let id: String
  package let domain: BridgeDomain

  /// - Parameters:
  ///   - beginning: the UTF-8 of the message, or of its first part.
  ///   - domains: the known domains by their names.
  /// - Returns: nil if there is no identifier, if the domain is unknown, or if the message is not a request.
  package init?(
    _ beginning: some Collection<UInt8>, of domains: [String: BridgeDomain] = BridgeDomain.publishedByName
  ) {
    var reader = JSONReader(beginning)
    let texts = reader.outline(of: ["type", "id", "domain"])
    guard let id = texts["id"]?.stringValue, texts["type"] == nil || texts["type"] == "request" else { return nil }
    guard let name = texts["domain"]?.stringValue else {
      // The domain may follow in the missing part. Clients accept any known domain.
      self.init(id: id, domain: .lifecycle)
      return
    }
    guard name.isProtocolName, let domain = domains[name] else { return nil }
    self.init(id: id, domain: domain)
  }

  private init(id: String, domain: BridgeDomain) {
    self.id = id
    self.domain = domain
  }
}

extension BridgeError {
  /// The error for a text that cannot be parsed; nil for invalid JSON, which is dropped without a response.
  package init?(_ error: JSONError) {
    switch error.reason {
    case .syntax: return nil
    case .nesting: self.init("NESTING_TOO_DEEP", error.failure.cause)
    case .loneSurrogate: self.init("MALFORMED_TEXT", error.failure.cause)
    }
  }
}
