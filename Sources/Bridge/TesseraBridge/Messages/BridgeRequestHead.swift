/// The identifier and domain of a request that cannot be parsed: it is nested too deeply, too long, or has malformed
/// text. With them the client receives an error at once, instead of waiting for its timeout.
package struct BridgeRequestHead: Sendable, Equatable {
  package let id: String
  package let domain: BridgeDomain

  /// - Parameters:
  ///   - beginning: the UTF-8 of the message, or of its first part.
  ///   - domains: the known domains by their names.
  /// - Returns: nil if there is no identifier.
  package init?(
    _ beginning: some Collection<UInt8>, of domains: [String: BridgeDomain] = BridgeDomain.publishedByName
  ) {
    var reader = JSONReader(beginning)
    let texts = reader.outline(of: ["id", "domain"])
    guard let id = texts["id"]?.stringValue else { return nil }
    self.id = id
    // The domain may follow in the missing part. Clients accept any known domain.
    let name = texts["domain"]?.stringValue.flatMap { $0.isProtocolName ? $0 : nil }
    domain = name.flatMap { domains[$0] } ?? .lifecycle
  }
}

extension BridgeError {
  /// The error for a text that cannot be parsed; nil for invalid JSON, which has no response.
  package init?(_ error: JSONError) {
    switch error.reason {
    case .syntax: return nil
    case .nesting: self.init("NESTING_TOO_DEEP", error.failure.cause)
    case .loneSurrogate: self.init("MALFORMED_TEXT", error.failure.cause)
    }
  }
}
