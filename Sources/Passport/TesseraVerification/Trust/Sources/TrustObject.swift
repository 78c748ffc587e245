/// What states publish so that others can verify their documents. The bytes are those of the publication.
package enum TrustObject: Sendable, Equatable {
  /// CMS SignedData with a list of country certificates (Doc 9303-12, 8); DER or BER.
  case masterList([UInt8])
  /// CMS SignedData with a list of known defects of documents (Doc 9303-3, 7); DER or BER.
  case deviationList([UInt8])
  /// An X.509 certificate: of a country, a document signer or a list signer.
  case certificate([UInt8])
  /// An X.509 certificate revocation list.
  case revocationList([UInt8])
  /// A value of an LDIF file whose attribute should hold one of the others, but which does not. One such value does not
  /// make the thousands beside it useless. The number is its line, from 1.
  case unreadable(line: Int)
  /// A record of an LDIF file that deletes an entry of the directory. Nothing is removed because of it. The number is its
  /// line, from 1.
  case deletion(line: Int)
}
