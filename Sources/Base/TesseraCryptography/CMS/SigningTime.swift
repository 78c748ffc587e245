#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The attribute `signingTime` of a signature (RFC 5652, 11.3).
package enum SigningTime {
  /// The time that a signer states.
  ///
  /// - Parameter attributes: `SET OF Attribute` in DER, as it was signed.
  /// - Returns: nil if there is none, or the encoding is malformed.
  package static func date(ofSignedAttributes attributes: [UInt8]) -> Date? {
    guard var rest = try? DERValue(attributes[...], "signedAttrs").elements else { return nil }
    while !rest.isEmpty {
      guard var attribute = try? rest.next("attribute").elements,
        let type = try? attribute.next("attribute type").objectIdentifier("attribute type")
      else { return nil }
      guard type == "1.2.840.113549.1.9.5" else { continue }
      var values = (try? attribute.next("attribute values"))?.elements
      return (try? values?.next("signingTime")).flatMap { try? DERTime.date($0) }
    }
    return nil
  }
}
