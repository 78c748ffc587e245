internal import COpenSSL

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An X.509 certificate: its bytes as they came, and the fields that checks and people need.
public struct Certificate: Sendable, Equatable {
  public let der: [UInt8]
  /// RFC 2253 text.
  public let subject: String
  /// RFC 2253 text.
  public let issuer: String
  /// Upper-case hexadecimal; a leading `-` for the negative numbers that some issuers used.
  public let serialNumber: String
  public let notBefore: Date
  public let notAfter: Date
  public let publicKey: PublicKey
  /// The algorithm of the certificate's own signature, in the form `SHA256withRSA`; the OID where it is unknown.
  public let signatureAlgorithmName: String

  /// - Throws: `CryptographyError` where the certificate cannot be decoded.
  public init(der: [UInt8]) throws {
    self.der = der
    let x509 = try OpenSSLCertificate(der: der)
    subject = try Self.text(X509_get_subject_name(x509.pointer))
    issuer = try Self.text(X509_get_issuer_name(x509.pointer))
    serialNumber = try Self.serial(X509_get0_serialNumber(x509.pointer))
    notBefore = try Self.date(X509_get0_notBefore(x509.pointer))
    notAfter = try Self.date(X509_get0_notAfter(x509.pointer))
    publicKey = try PublicKey(subjectPublicKeyInfo: Self.keyInfo(x509.pointer))
    signatureAlgorithmName = try Self.signatureName(der)
  }

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

  private static func text(_ name: OpaquePointer?) throws -> String {
    guard let bio = BIO_new(BIO_s_mem()) else { throw CryptographyError.last("BIO_new") }
    defer { BIO_free(bio) }
    // RFC 2253, but UTF-8 left readable instead of escaped byte by byte.
    let flags = tessera_xn_flag_rfc2253 & ~UInt(ASN1_STRFLGS_ESC_MSB)
    guard X509_NAME_print_ex(bio, name, 0, flags) >= 0 else { throw CryptographyError.last("X509_NAME_print_ex") }
    var contents: UnsafeMutablePointer<CChar>?
    let length = tessera_bio_contents(bio, &contents)
    guard let contents, length > 0 else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: contents, count: length), as: UTF8.self)
  }

  private static func serial(_ number: UnsafePointer<ASN1_INTEGER>?) throws -> String {
    guard let value = ASN1_INTEGER_to_BN(number, nil) else { throw CryptographyError.last("serial number") }
    defer { BN_free(value) }
    guard let characters = BN_bn2hex(value) else { throw CryptographyError.last("serial number") }
    defer { tessera_openssl_free(characters) }
    return String(cString: characters)
  }

  private static func date(_ time: UnsafePointer<ASN1_TIME>?) throws -> Date {
    guard let epoch = ASN1_TIME_set(nil, 0) else { throw CryptographyError.last("ASN1_TIME_set") }
    defer { ASN1_STRING_free(epoch) }
    var days: Int32 = 0
    var seconds: Int32 = 0
    guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { throw CryptographyError.last("validity date") }
    return Date(timeIntervalSince1970: Double(days) * 86_400 + Double(seconds))
  }

  private static func keyInfo(_ certificate: OpaquePointer) throws -> [UInt8] {
    var buffer: UnsafeMutablePointer<UInt8>?
    let length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &buffer)
    guard length > 0, let buffer else { throw CryptographyError.last("SubjectPublicKeyInfo") }
    defer { tessera_openssl_free(buffer) }
    return Array(UnsafeBufferPointer(start: buffer, count: Int(length)))
  }

  private static func signatureName(_ der: [UInt8]) throws -> String {
    let identifier = try AlgorithmIdentifier(ASN1.certificate(der).signatureAlgorithm)
    return SignatureAlgorithm(identifier, digest: nil).javaName
  }
}

/// An `X509 *` with an owner.
final class OpenSSLCertificate {
  let pointer: OpaquePointer

  init(der: [UInt8]) throws {
    pointer = try der.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      guard let certificate = d2i_X509(nil, &cursor, buffer.count) else {
        throw CryptographyError.last("decoding a certificate")
      }
      return certificate
    }
  }

  init(adopting pointer: OpaquePointer) { self.pointer = pointer }

  deinit { X509_free(pointer) }
}
