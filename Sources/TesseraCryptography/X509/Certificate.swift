internal import CTesseraOpenSSL
import SwiftASN1

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An X.509 certificate: its bytes as received, and the fields for verification and display.
public struct Certificate: Sendable, Equatable {
  public let der: [UInt8]
  /// RFC 2253 text.
  public let subject: String
  /// RFC 2253 text.
  public let issuer: String
  /// Upper-case hexadecimal, with a leading `-` for the negative numbers that some issuers used.
  public let serialNumber: String
  public let notBefore: Date
  public let notAfter: Date
  public let publicKey: PublicKey
  /// The algorithm of the certificate's own signature.
  let signatureAlgorithm: SignatureAlgorithm
  /// Issuer and serial number as received, by which a CMS signer identifies the certificate.
  let issuerDER: [UInt8]
  let serialNumberBytes: [UInt8]

  /// Decodes the fields above. Extensions are decoded on demand, so that a malformed one does not affect the other
  /// fields. OpenSSL's decoder for complete certificates is not used: it takes longer than a signature check.
  ///
  /// - Throws: `CryptographyError` if the certificate cannot be decoded.
  public init(der: [UInt8]) throws {
    self.der = der
    let parts = try ASN1.certificate(der)
    subject = try Self.text(parts.subject)
    issuer = try Self.text(parts.issuer)
    serialNumber = try Self.serial(parts.serialNumber)
    notBefore = try Self.date(parts.notBefore)
    notAfter = try Self.date(parts.notAfter)
    publicKey = try PublicKey(subjectPublicKeyInfo: Array(parts.subjectPublicKeyInfo.encodedBytes))
    signatureAlgorithm = SignatureAlgorithm(try AlgorithmIdentifier(parts.signatureAlgorithm), digest: nil)
    issuerDER = Array(parts.issuer.encodedBytes)
    serialNumberBytes = try parts.serialNumber.octets("serial number")
  }

  /// The algorithm of the certificate's own signature in the form `SHA256withRSA`; the OID if it is unknown.
  public var signatureAlgorithmName: String { signatureAlgorithm.javaName }

  /// `-----BEGIN CERTIFICATE-----` with lines of `columns` characters and no final line break.
  public func pem(columns: Int = 64) -> String {
    var body = Substring(Data(der).base64EncodedString())
    var lines = ["-----BEGIN CERTIFICATE-----"]
    while !body.isEmpty {
      lines.append(String(body.prefix(columns)))
      body = body.dropFirst(columns)
    }
    return (lines + ["-----END CERTIFICATE-----"]).joined(separator: "\n")
  }

  /// Decodes one field with OpenSSL's decoder for it, which returns nil for any other field.
  private static func decode<Field>(
    _ node: ASN1Node, _ what: String,
    _ decoder: (UnsafeMutablePointer<Field?>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int) -> Field?
  ) throws -> Field {
    let field = node.encodedBytes.withUnsafeBufferPointer { bytes in
      var cursor = bytes.baseAddress
      return decoder(nil, &cursor, bytes.count)
    }
    guard let field else { throw CryptographyError.last(what) }
    return field
  }

  private static func text(_ node: ASN1Node) throws -> String {
    let name = try decode(node, "name", d2i_X509_NAME)
    defer { X509_NAME_free(name) }
    guard let bio = BIO_new(BIO_s_mem()) else { throw CryptographyError.last("BIO_new") }
    defer { BIO_free(bio) }
    // RFC 2253, but with readable UTF-8 instead of escapes.
    let flags = tessera_xn_flag_rfc2253 & ~UInt(ASN1_STRFLGS_ESC_MSB)
    guard X509_NAME_print_ex(bio, name, 0, flags) >= 0 else { throw CryptographyError.last("X509_NAME_print_ex") }
    var contents: UnsafeMutablePointer<CChar>?
    let length = tessera_bio_contents(bio, &contents)
    guard let contents, length > 0 else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: contents, count: length), as: UTF8.self)
  }

  private static func serial(_ node: ASN1Node) throws -> String {
    let number = try decode(node, "serial number", d2i_ASN1_INTEGER)
    defer { ASN1_INTEGER_free(number) }
    guard let value = ASN1_INTEGER_to_BN(number, nil) else { throw CryptographyError.last("serial number") }
    defer { BN_free(value) }
    guard let characters = BN_bn2hex(value) else { throw CryptographyError.last("serial number") }
    defer { tessera_openssl_free(characters) }
    return String(cString: characters)
  }

  private static func date(_ node: ASN1Node) throws -> Date {
    let time = try decode(node, "validity date", d2i_ASN1_TIME)
    defer { ASN1_TIME_free(time) }
    guard let epoch = ASN1_TIME_set(nil, 0) else { throw CryptographyError.last("ASN1_TIME_set") }
    defer { ASN1_STRING_free(epoch) }
    var days: Int32 = 0
    var seconds: Int32 = 0
    guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { throw CryptographyError.last("validity date") }
    return Date(timeIntervalSince1970: Double(days) * 86_400 + Double(seconds))
  }
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
