/// The `keyIdentifier` of an authority key identifier, which certificates and revocation lists have.
enum KeyIdentifier {
  static func authority(_ value: ArraySlice<UInt8>?) -> ArraySlice<UInt8>? {
    guard let value, let sequence = try? DERValue(value, "authorityKeyIdentifier") else { return nil }
    var elements = sequence.elements
    return (try? elements.nextIf(DERValue.Tag.implicit(0), "authorityKeyIdentifier"))?.content
  }
}
