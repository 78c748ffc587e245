internal import CTesseraOpenSSL

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An X.509 certificate (RFC 5280, 4.1): its bytes as received, and the fields for verification and display.
///
/// Names, key and extensions are decoded on demand: a malformed one does not affect the others, and a list of hundreds
/// of certificates is read without decoding hundreds of keys.
public struct Certificate: Sendable, Equatable {
  /// Most fields are parts of one array. A copy of a structure with all of them would retain it ten times.
  private final class Fields: Sendable {
    let der: [UInt8]
    let notBefore: Date
    let notAfter: Date
    let subject: DistinguishedName
    let issuer: DistinguishedName
    let serialNumber: ArraySlice<UInt8>
    let structure: SignedStructure
    let subjectPublicKeyInfo: ArraySlice<UInt8>
    let extensions: CertificateExtensions

    init(der: [UInt8]) throws {
      self.der = der
      var fields: DERValue.Elements
      (structure, fields) = try SignedStructure.decode(der, "certificate")
      _ = try fields.nextIf(DERValue.Tag.context(0), "version")
      serialNumber = try fields.next(DERValue.Tag.integer, "serial number").content
      try structure.checkAlgorithm(try fields.next("signature algorithm"), "certificate")
      issuer = DistinguishedName(try fields.next(DERValue.Tag.sequence, "issuer"))
      var validity = try fields.next(DERValue.Tag.sequence, "validity").elements
      notBefore = try DERTime.date(try validity.next("validity"))
      notAfter = try DERTime.date(try validity.next("validity"))
      subject = DistinguishedName(try fields.next(DERValue.Tag.sequence, "subject"))
      subjectPublicKeyInfo = try fields.next(DERValue.Tag.sequence, "SubjectPublicKeyInfo").encoded
      _ = try fields.nextIf(DERValue.Tag.implicit(1), "issuerUniqueID")
      _ = try fields.nextIf(DERValue.Tag.implicit(2), "subjectUniqueID")
      extensions = try CertificateExtensions(fields.nextIf(DERValue.Tag.context(3), "extensions"))
      // Fields that are not understood could be extensions that restrict the key.
      guard fields.isEmpty else { throw CryptographyError.malformed("certificate") }
    }
  }

  private let fields: Fields

  /// - Throws: `CryptographyError.malformed` if this is not a certificate.
  public init(der: [UInt8]) throws { fields = try Fields(der: der) }

  public var der: [UInt8] { fields.der }
  public var notBefore: Date { fields.notBefore }
  public var notAfter: Date { fields.notAfter }
  /// Subject and issuer in DER.
  package var subjectName: DistinguishedName { fields.subject }
  package var issuerName: DistinguishedName { fields.issuer }
  /// The octets of the serial number as received; some issuers used negative or padded numbers.
  package var serialNumberBytes: ArraySlice<UInt8> { fields.serialNumber }

  public static func == (left: Certificate, right: Certificate) -> Bool {
    left.fields === right.fields || left.der == right.der
  }

  /// RFC 2253 text; empty if the name is malformed.
  public var subject: String { subjectName.description }
  /// RFC 2253 text; empty if the name is malformed.
  public var issuer: String { issuerName.description }

  /// SHA-256 of the encoding.
  package var fingerprint: [UInt8] { (try? HashAlgorithm.sha256.digest(of: der)) ?? [] }

  /// The country of the subject: two upper-case letters as a rule; nil if there is none.
  public var country: String? { subjectName.country }

  /// Upper-case hexadecimal, with a leading `-` for the negative numbers that some issuers used.
  public var serialNumber: String { SerialNumber.text(serialNumberBytes) }

  /// Decodes the key. This takes as long as verifying a signature.
  ///
  /// - Throws: `CryptographyError` if the key is malformed, or on a curve that is not a known one.
  public var publicKey: PublicKey {
    get throws { try PublicKey(subjectPublicKeyInfo: Array(publicKeyInfo)) }
  }

  /// The encoding of the key, which identifies it.
  package var publicKeyInfo: ArraySlice<UInt8> { fields.subjectPublicKeyInfo }

  /// The algorithm of the certificate's own signature.
  package var signatureAlgorithm: SignatureAlgorithm { get throws { try fields.structure.algorithm } }

  /// `TBSCertificate`, the part that is signed.
  package var signedPart: ArraySlice<UInt8> { fields.structure.signedPart }
  package var signature: ArraySlice<UInt8> { fields.structure.signature }

  /// The algorithm of the certificate's own signature in the form `SHA256withRSA`; the OID if it is unknown.
  public var signatureAlgorithmName: String { (try? signatureAlgorithm.javaName) ?? "" }

  /// Whether the owner of `key` signed this certificate.
  ///
  /// - Throws: `CryptographyError` if the algorithm is not supported, or does not match the key.
  package func isSigned(by key: PublicKey) throws -> Bool { try fields.structure.isSigned(by: key) }

  /// The content of an extension (RFC 5280, 4.2); nil if the certificate does not have it.
  ///
  /// - Parameter identifier: the content octets of the object identifier.
  package func extensionValue(_ identifier: [UInt8]) -> ArraySlice<UInt8>? { fields.extensions[identifier]?.value }

  /// The critical extensions, dotted: a reader that does not know one must refuse the certificate.
  package var criticalExtensions: [String] { fields.extensions.critical }

  /// `-----BEGIN CERTIFICATE-----` with lines of `columns` characters and no final line break.
  public func pem(columns: Int = 64) -> String { PEMText.encode(der, "CERTIFICATE", columns: columns) }
}

/// An owned `X509 *`.
package final class OpenSSLCertificate {
  package let pointer: OpaquePointer

  package init(der: [UInt8]) throws {
    pointer = try der.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      guard let certificate = d2i_X509(nil, &cursor, buffer.count) else {
        throw CryptographyError.last("decoding a certificate")
      }
      return certificate
    }
  }

  /// Takes ownership of `pointer`.
  package init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { X509_free(pointer) }
}
