import TesseraCryptography

/// A CSCA master list (Doc 9303-12, 8): certificates of country signers, signed by one country.
package struct MasterList: Sendable {
  /// `id-icao-cscaMasterList`.
  package static let contentType = "2.23.136.1.1.2"
  /// `id-icao-cscaMasterListSigningKey`.
  package static let keyPurpose = "2.23.136.1.1.3"

  /// The certificates in the order of the list, each as published.
  package let certificates: [Certificate]
  /// The positions of entries that are no certificates.
  package let malformedEntries: [Int]
  package let signer: ListSigner

  /// A world-wide list has fewer than a thousand.
  private static let maximumCertificates = 50_000

  /// Decodes the list and verifies its signature with the certificate of its signer. Whether that one is trusted is
  /// decided by `ListSigner.path`.
  ///
  /// - Throws: `TrustError.listDamaged` if it is not a master list, or the signature is wrong.
  package init(_ bytes: [UInt8]) throws {
    let signedData: SignedData
    do {
      signedData = try SignedData(bytes)
    } catch {
      throw TrustError.listDamaged((error as? CryptographyError)?.failure.cause ?? "")
    }
    guard signedData.contentType == Self.contentType else {
      throw TrustError.listDamaged("Its content is not a list of country signers.")
    }
    signer = try ListSigner(signedData, purpose: Self.keyPurpose)
    (certificates, malformedEntries) = try Self.entries(signedData.content)
    guard !signedData.hasMalformedCertificates, signer.embedsOnlyGenuine(among: certificates) else {
      throw TrustError.listDamaged("A certificate beside that of its signer was changed.")
    }
  }

  private static func entries(_ content: [UInt8]) throws -> ([Certificate], [Int]) {
    do {
      // CscaMasterList ::= SEQUENCE { version INTEGER, certList SET OF Certificate }
      let list = try DERValue(content[...], "master list")
      guard list.encoded.count == content.count else { throw CryptographyError.malformed("master list") }
      var fields = list.elements
      _ = try fields.next(DERValue.Tag.integer, "version")
      var entries = try fields.next(DERValue.Tag.set, "certificate list").elements
      var certificates: [Certificate] = []
      var malformed: [Int] = []
      while !entries.isEmpty {
        let entry = try entries.next("certificate list")
        do {
          certificates.append(try Certificate(der: Array(entry.encoded)))
        } catch {
          malformed.append(certificates.count + malformed.count)
        }
        guard certificates.count + malformed.count <= maximumCertificates else {
          throw CryptographyError.malformed("a master list with too many certificates")
        }
      }
      return (certificates, malformed)
    } catch {
      throw TrustError.listDamaged((error as? CryptographyError)?.failure.cause ?? "")
    }
  }
}
