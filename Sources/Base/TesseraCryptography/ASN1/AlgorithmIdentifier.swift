import SwiftASN1

/// `AlgorithmIdentifier ::= SEQUENCE { algorithm OBJECT IDENTIFIER, parameters ANY OPTIONAL }` (RFC 5280, 4.1.1.2).
package struct AlgorithmIdentifier: Sendable {
  /// Dotted form.
  package let algorithm: String
  /// nil also if the encoding contains NULL.
  package let parameters: ASN1Node?

  package init(_ node: ASN1Node) throws {
    let parts = try node.children("AlgorithmIdentifier")
    guard let first = parts.first else { throw CryptographyError.malformed("empty AlgorithmIdentifier") }
    algorithm = try first.objectIdentifier("algorithm")
    parameters = parts.dropFirst().first.flatMap { $0.identifier == .null ? nil : $0 }
  }
}
