import TesseraCryptography

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A deviation list (Doc 9303-3, 7, and Doc 9303-12, 10): the known errors of documents, signed by their country.
public struct DeviationList: Sendable, Equatable {
  /// `id-icao-DeviationList`.
  package static let contentType = "2.23.136.1.1.7"
  /// `id-icao-DeviationListSigningKey`.
  package static let keyPurpose = "2.23.136.1.1.8"

  /// CMS `SignedData` as published; DER or BER.
  public let encoded: [UInt8]
  public let deviations: [Deviation]
  package let signer: ListSigner

  /// Limits on the work that a hostile list can cause; published lists have fewer than a hundred deviations.
  private static let maximumDeviations = 10_000

  /// Decodes the list and verifies its signature with the certificate of its signer. Whether that one is trusted is
  /// decided by `ListSigner.path`.
  ///
  /// - Throws: `TrustError.listDamaged` if it is not a deviation list, or the signature is wrong.
  package init(_ bytes: [UInt8]) throws {
    encoded = bytes
    do {
      let signedData = try SignedData(bytes)
      guard signedData.contentType == Self.contentType else {
        throw TrustError.listDamaged("Its content is not a list of deviations.")
      }
      signer = try ListSigner(signedData, purpose: Self.keyPurpose)
      deviations = try Self.deviations(signedData.content)
    } catch let error as CryptographyError {
      throw TrustError.listDamaged(error.failure.cause)
    }
  }

  /// `DeviationList ::= SEQUENCE { version INTEGER, digestAlg AlgorithmIdentifier OPTIONAL, deviations SET OF Deviation
  /// }`. The length of a digest tells its algorithm.
  private static func deviations(_ content: [UInt8]) throws -> [Deviation] {
    let list = try DERValue(content[...], "deviation list")
    guard list.tag == DERValue.Tag.sequence, list.encoded.count == content.count else {
      throw CryptographyError.malformed("deviation list")
    }
    var fields = list.elements
    _ = try fields.next(DERValue.Tag.integer, "version")
    _ = try fields.nextIf(DERValue.Tag.sequence, "digest algorithm")
    return try fields.next(DERValue.Tag.set, "deviations").parts(limit: maximumDeviations, "deviation")
      .map(Deviation.init)
  }

  /// The country of the signer, whose documents the list describes: two upper-case letters; nil if there is none.
  public var country: String? { signer.certificate.country }
  /// The subject of the signer's certificate, RFC 2253.
  public var signerName: String { signer.certificate.subject }
  /// When the list was signed, as the signer states.
  public var signedAt: Date? { signer.signedAt }

  /// A block `CMS` of RFC 7468, without a final line break.
  public func pem() -> String { PEMText.encode(encoded, "CMS") }

  public static func == (left: Self, right: Self) -> Bool { left.encoded == right.encoded }
}
