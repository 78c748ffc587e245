internal import CTesseraOpenSSL
import SwiftASN1
import TesseraCryptography

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An extension of a certificate or CRL of Doc 9303-12, 7.
struct CertificateExtension {
  /// A new `X509_EXTENSION`, which the caller frees.
  typealias Encoder = (UnsafeMutablePointer<X509V3_CTX>, UnsafeMutablePointer<CONF>) throws -> OpaquePointer

  private let encode: Encoder

  private init(_ encode: @escaping Encoder) { self.encode = encode }

  /// - Parameters:
  ///   - identifier: OpenSSL's number of the extension.
  ///   - value: The value in the notation of x509v3_config(5). `dirName:location` refers to the place of `adding`.
  static func text(_ identifier: Int32, _ value: String) -> CertificateExtension {
    CertificateExtension { context, configuration in
      guard let entry = X509V3_EXT_nconf_nid(configuration, context, identifier, value) else {
        throw CryptographyError.openSSL("the extension \(String(cString: OBJ_nid2sn(identifier)))")
      }
      return entry
    }
  }

  /// `PrivateKeyUsagePeriod` (Doc 9303-12, 7.1.1), for which OpenSSL has no text notation.
  static func privateKeyUsage(_ period: Range<Date>) -> CertificateExtension {
    CertificateExtension { _, _ in
      guard let usage = PKEY_USAGE_PERIOD_new() else { throw CryptographyError.openSSL("PKEY_USAGE_PERIOD_new") }
      defer { PKEY_USAGE_PERIOD_free(usage) }
      usage.pointee.notBefore = ASN1_GENERALIZEDTIME_set(nil, Int(period.lowerBound.timeIntervalSince1970))
      usage.pointee.notAfter = ASN1_GENERALIZEDTIME_set(nil, Int(period.upperBound.timeIntervalSince1970))
      guard let entry = X509V3_EXT_i2d(NID_private_key_usage_period, 0, usage) else {
        throw CryptographyError.openSSL("the private key usage period")
      }
      return entry
    }
  }

  /// `DocumentTypeListSyntax` of Doc 9303-12, 7.1.1: the document codes of the MRZ.
  static func documentTypes(_ codes: [String]) -> CertificateExtension {
    CertificateExtension { _, _ in
      var serializer = DER.Serializer()
      try serializer.appendConstructedNode(identifier: .sequence) { list in
        try list.serialize(0)
        try list.serializeSetOf(try codes.map { try ASN1PrintableString($0) })
      }
      return try custom("2.23.136.1.1.6.2", serializer.serializedBytes)
    }
  }

  /// `nameChange` of Doc 9303-12, 7.1.1.
  static var nameChange: CertificateExtension {
    CertificateExtension { _, _ in try custom("2.23.136.1.1.6.1", [0x05, 0x00]) }
  }

  /// - Parameter identifier: Dotted form.
  private static func custom(_ identifier: String, _ value: [UInt8]) throws -> OpaquePointer {
    guard let type = OBJ_txt2obj(identifier, 1) else { throw CryptographyError.openSSL("OBJ_txt2obj") }
    defer { ASN1_OBJECT_free(type) }
    guard let content = ASN1_OCTET_STRING_new() else { throw CryptographyError.openSSL("ASN1_OCTET_STRING_new") }
    defer { ASN1_OCTET_STRING_free(content) }
    guard ASN1_OCTET_STRING_set(content, value, Int32(value.count)) == 1,
      let entry = X509_EXTENSION_create_by_OBJ(nil, type, 0, content)
    else { throw CryptographyError.openSSL("X509_EXTENSION_create_by_OBJ") }
    return entry
  }

  // MARK: - Adding

  /// What the extensions are added to.
  enum Target {
    case certificate(OpaquePointer)
    case revocationList(OpaquePointer)
  }

  /// Adds the extensions in this order.
  ///
  /// - Parameters:
  ///   - issuer: The issuer's `X509`.
  ///   - place: The country code for the attribute `L` of the alternative names.
  static func add(
    _ extensions: [CertificateExtension], to target: Target, issuer: OpaquePointer, place: String? = nil
  ) throws {
    var context = X509V3_CTX()
    switch target {
    case .certificate(let subject): X509V3_set_ctx(&context, issuer, subject, nil, nil, 0)
    case .revocationList(let list): X509V3_set_ctx(&context, issuer, nil, nil, list, 0)
    }
    let configuration = try configuration(place: place)
    defer { NCONF_free(configuration) }
    X509V3_set_nconf(&context, configuration)
    for value in extensions {
      let entry = try value.encode(&context, configuration)
      defer { X509_EXTENSION_free(entry) }
      let isAdded =
        switch target {
        case .certificate(let subject): X509_add_ext(subject, entry, -1)
        case .revocationList(let list): X509_CRL_add_ext(list, entry, -1)
        }
      guard isAdded == 1 else { throw CryptographyError.openSSL("adding an extension") }
    }
  }

  private static func configuration(place: String?) throws -> UnsafeMutablePointer<CONF> {
    guard let configuration = NCONF_new(nil) else { throw CryptographyError.openSSL("NCONF_new") }
    do {
      try OpenSSLEncoding.withSource(Array("[location]\nL=\(place ?? "")\n".utf8)) { source in
        var line = 0
        guard NCONF_load_bio(configuration, source, &line) == 1 else {
          throw CryptographyError.openSSL("NCONF_load_bio")
        }
      }
    } catch {
      NCONF_free(configuration)
      throw error
    }
    return configuration
  }
}
