import SwiftASN1

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The reason why a signature of a CMS `SignedData` is not valid.
public enum SignatureProblem: Error, Sendable, Equatable {
  /// The signer's certificate is not there.
  case noCertificate
  /// The signature is valid, and for a content of another type.
  case wrongContentType
  case contentDigestDiffers
  case signatureWrong
  case undecidable(CryptographyError)

  /// Whether it proves that the signer did not sign this content. The others leave that open.
  package var isProof: Bool {
    switch self {
    case .contentDigestDiffers, .signatureWrong: true
    case .noCertificate, .wrongContentType, .undecidable: false
    }
  }
}

/// A CMS `SignedData` (RFC 5652, 5). Every signed part is stored as the bytes received.
package struct SignedData: Sendable {
  /// One `SignerInfo`.
  package struct Signer: Sendable {
    package let digestAlgorithm: HashAlgorithm
    package let signatureAlgorithm: SignatureAlgorithm
    /// The raw signed attributes with the tag of `SET OF`. nil if the content itself is signed.
    package let signedAttributes: [UInt8]?
    /// Their distinguished encoding, over which the signature is computed (RFC 5652, 5.4), if it is another one. Some
    /// signers sort the attributes for the signature and not in the file, others sign the file's bytes.
    var distinguishedAttributes: [UInt8]? {
      guard let signedAttributes, let node = try? ASN1Node.parse(signedAttributes, "signedAttrs") else { return nil }
      let distinguished = DistinguishedEncoding.value(node)
      return distinguished == signedAttributes ? nil : distinguished
    }
    package let signature: [UInt8]
    /// The value of the `messageDigest` attribute.
    package let messageDigest: [UInt8]?
    /// The value of the `contentType` attribute, dotted.
    package let contentType: String?
    /// The time that the signer states in the `signingTime` attribute.
    package let signingTime: Date?
    let identifier: SignerIdentifier
  }

  enum SignerIdentifier: Sendable {
    case issuerAndSerialNumber(issuer: DistinguishedName, serialNumber: [UInt8])
    case subjectKeyIdentifier([UInt8])
  }

  /// Dotted form.
  package let contentType: String
  /// The encapsulated content.
  package let content: [UInt8]
  package let certificates: [Certificate]
  /// Whether there are certificates at all, those included that cannot be decoded.
  package let hasCertificates: Bool
  /// Whether a certificate cannot be decoded. It is not in `certificates`.
  package let hasMalformedCertificates: Bool
  package let signers: [Signer]

  /// The tag of `SET OF`, the first byte of signed attributes.
  private static let setTag: UInt8 = 0x31
  /// `id-data`, the only content type that may be signed without attributes.
  private static let plainContent = "1.2.840.113549.1.7.1"

  /// Limits on the work that a hostile file can cause; documents have one signer.
  private static let maximumSigners = 8
  private static let maximumCertificates = 32

  /// - Parameter bytes: a `ContentInfo` in DER or BER.
  /// - Throws: `CryptographyError` naming the part that is malformed or unsupported.
  package init(_ bytes: some Collection<UInt8>) throws {
    let info = try ASN1Node.parse(bytes, "ContentInfo").children("ContentInfo")
    guard info.count == 2, try info[0].objectIdentifier("content type") == "1.2.840.113549.1.7.2" else {
      throw CryptographyError.malformed("the CMS content is not SignedData")
    }
    let fields = try info[1].onlyChild("ContentInfo content").children("SignedData")
    guard fields.count >= 4, let signerInfos = fields.last else { throw CryptographyError.malformed("SignedData") }

    let encapsulated = try fields[2].children("EncapsulatedContentInfo")
    guard encapsulated.count == 2 else { throw CryptographyError.malformed("SignedData without content") }
    contentType = try encapsulated[0].objectIdentifier("eContentType")
    content = try encapsulated[1].onlyChild("eContent").octets("eContent")

    // A certificate that cannot be decoded does not affect the others.
    let certificateNodes = try fields.dropFirst(3).first { $0.isContextSpecific(0) }?.children("certificates") ?? []
    let signerNodes = try signerInfos.children("SignerInfos")
    guard certificateNodes.count <= Self.maximumCertificates, signerNodes.count <= Self.maximumSigners else {
      throw CryptographyError.malformed("SignedData with too many signers or certificates")
    }
    hasCertificates = !certificateNodes.isEmpty
    certificates = certificateNodes.compactMap { try? Certificate(der: Array($0.encodedBytes)) }
    hasMalformedCertificates = certificates.count < certificateNodes.count
    signers = try signerNodes.map(Signer.init)
  }

  /// The certificates that the signer identifies, of the embedded ones and `others`.
  package func certificates(of signer: Signer, among others: [Certificate] = []) -> [Certificate] {
    certificates.filter(signer.identifies) + others.filter(signer.identifies)
  }

  /// Verifies one signature against the signer's certificate (RFC 5652, 5.6). Does not decide whether the certificate
  /// is trusted.
  ///
  /// - Parameters:
  ///   - others: certificates that may be the signer's if it is not embedded.
  ///   - key: the decoded key of a certificate, for callers that keep it.
  package func verify(
    _ signer: Signer, among others: [Certificate] = [],
    key: (Certificate) throws -> PublicKey = { try $0.publicKey }
  ) -> Result<Certificate, SignatureProblem> {
    let identified = certificates(of: signer, among: others)
    // Some issuers write another name or number into the signature than into the certificate beside it.
    let candidates = identified.isEmpty ? certificates : identified
    var problem: SignatureProblem?
    func verify(over message: [UInt8]) -> Certificate? {
      for certificate in candidates {
        switch self.verify(signer, message, certificate, key) {
        case .success(let certificate): return certificate
        // It is no proof if one of the certificates leaves it open.
        case .failure(let found): problem = problem.map { $0.isProof ? found : $0 } ?? found
        }
      }
      return nil
    }
    let signed =
      verify(over: signer.signedAttributes ?? content) ?? signer.distinguishedAttributes.flatMap(verify(over:))
    if let signed { return contentProblem(signer).map { .failure($0) } ?? .success(signed) }
    // A certificate that the signer does not name speaks against nobody.
    return .failure(identified.isEmpty ? .noCertificate : problem ?? .noCertificate)
  }

  /// What the signed attributes, whose signature is right, say against the content; nil for nothing.
  private func contentProblem(_ signer: Signer) -> SignatureProblem? {
    guard signer.signedAttributes != nil else { return nil }
    // A signature for another content type proves nothing about this content, and says nothing against it.
    guard signer.contentType == contentType else { return .wrongContentType }
    guard let stated = signer.messageDigest, let digest = try? signer.digestAlgorithm.digest(of: content),
      stated.count == digest.count
    else { return .undecidable(.malformed("the signed digest")) }
    return stated == digest ? nil : .contentDigestDiffers
  }

  private func verify(
    _ signer: Signer, _ message: [UInt8], _ certificate: Certificate, _ key: (Certificate) throws -> PublicKey
  ) -> Result<Certificate, SignatureProblem> {
    do {
      if signer.signedAttributes == nil, contentType != Self.plainContent, content.first == Self.setTag {
        // RFC 5652, 5.3 requires signed attributes for this content type. Without them, foreign signed attributes
        // could be presented as signed content. Some documents have an EF.SOD without signed attributes; its content
        // is a SEQUENCE, so it is accepted.
        throw CryptographyError.malformed("SignerInfo without the signed attributes that this content type requires")
      }
      let isValid = try key(certificate).verify(signer.signature, over: message, signer.signatureAlgorithm)
      return isValid ? .success(certificate) : .failure(.signatureWrong)
    } catch let error as CryptographyError {
      return .failure(.undecidable(error))
    } catch {
      return .failure(.undecidable(.malformed("signature")))
    }
  }
}

extension SignedData.Signer {
  /// Whether this is the certificate that the signer names.
  package func identifies(_ certificate: Certificate) -> Bool {
    switch identifier {
    case .issuerAndSerialNumber(let issuer, let serialNumber):
      return SerialNumber.isSame(certificate.serialNumberBytes, serialNumber[...])
        && certificate.issuerName.isSame(as: issuer)
    case .subjectKeyIdentifier(let identifier):
      return (certificate.subjectKeyIdentifier ?? certificate.computedKeyIdentifier)?.elementsEqual(identifier) ?? false
    }
  }

  init(_ node: ASN1Node) throws {
    var fields = try node.children("SignerInfo")[...]
    guard fields.count >= 5 else { throw CryptographyError.malformed("SignerInfo") }
    fields.removeFirst()  // version: follows from the identifier
    identifier = try Self.identifier(fields.removeFirst())
    digestAlgorithm = try HashAlgorithm(AlgorithmIdentifier(fields.removeFirst()))

    var messageDigest: [UInt8]?
    var contentType: String?
    var signingTime: Date?
    if let attributes = fields.first, attributes.isContextSpecific(0) {
      fields.removeFirst()
      signedAttributes = [0x31] + attributes.encodedBytes.dropFirst()
      for attribute in try attributes.children("signedAttrs") {
        let parts = try attribute.children("attribute")
        guard parts.count == 2, let value = try parts[1].children("attribute values").first else {
          throw CryptographyError.malformed("attribute")
        }
        switch try parts[0].objectIdentifier("attribute type") {
        case "1.2.840.113549.1.9.3": contentType = try value.objectIdentifier("contentType")
        case "1.2.840.113549.1.9.5":
          signingTime = try? DERTime.date(DERValue(value.encodedBytes, "signingTime"))
        case "1.2.840.113549.1.9.4": messageDigest = try value.octets("messageDigest")
        default: break
        }
      }
    } else {
      signedAttributes = nil
    }
    self.messageDigest = messageDigest
    self.contentType = contentType
    self.signingTime = signingTime

    guard fields.count >= 2 else { throw CryptographyError.malformed("SignerInfo") }
    signatureAlgorithm = SignatureAlgorithm(
      try AlgorithmIdentifier(fields.removeFirst()), digest: digestAlgorithm)
    signature = try fields.removeFirst().octets("signature")
  }

  private static func identifier(_ node: ASN1Node) throws -> SignedData.SignerIdentifier {
    if node.isContextSpecific(0) { return .subjectKeyIdentifier(try node.octets("subjectKeyIdentifier")) }
    let parts = try node.children("issuerAndSerialNumber")
    guard parts.count == 2 else { throw CryptographyError.malformed("issuerAndSerialNumber") }
    // A certificate has its names in DER.
    let issuer =
      try (try? DERValue(parts[0].encodedBytes, "issuer"))
      ?? DERValue(DistinguishedEncoding.value(parts[0])[...], "issuer")
    return .issuerAndSerialNumber(
      issuer: DistinguishedName(issuer), serialNumber: try parts[1].octets("serial number"))
  }
}

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
