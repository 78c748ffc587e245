internal import CTesseraOpenSSL
import TesseraCryptography

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Issues the certificates of a test country in the profiles of Doc 9303-12, 7.1.
package struct CertificateBuilder {
  package enum Role: Sendable {
    /// Country Signing Certification Authority: self-signed, or a link certificate if another authority issues it.
    case countrySigner
    case documentSigner
    case masterListSigner
    case deviationListSigner
    /// Signs visible digital seals and barcodes of ICAO's datastructure.
    case barcodeSigner
    /// Signs VDS-NC.
    case nonConstrainedSigner
  }

  package var role: Role
  /// Two letters; empty for a name without a country.
  package var country: String
  /// Empty for a name without one.
  package var organization: String
  package var commonName: String
  package var serialNumber: UInt64
  package var notBefore: Date
  package var notAfter: Date
  /// OpenSSL's names of the key usages, separated by commas; empty for a certificate without this extension.
  package var keyUsage: String
  package var hasSubjectKeyIdentifier = true
  package var hasAuthorityKeyIdentifier = true
  /// The certificate whose key identifier the authority key identifier states; nil for the issuer.
  package var statedIssuer: Certificate?
  /// The object identifier of the extended key usage, dotted; nil for that of the role.
  package var keyPurpose: String?
  /// Whether the certificate states that the authority changed its name (Doc 9303-12, 7.1.1, `nameChange`).
  package var statesNameChange = false
  /// When the private key may sign; nil for a certificate without this extension.
  package var privateKeyUsage: Range<Date>?
  /// The three letters of the MRZ, for the alternative names; nil for a certificate without them.
  package var issuingState: String?
  /// The document codes of the MRZ that the signer may sign; empty for a certificate without this extension.
  package var documentTypes: [String] = []
  /// Where the country publishes its CRL; nil for a certificate without this extension.
  package var revocationListAddress: String?

  package init(
    role: Role, country: String, organization: String, commonName: String, serialNumber: UInt64, notBefore: Date,
    notAfter: Date
  ) {
    self.role = role
    self.country = country
    self.organization = organization
    self.commonName = commonName
    self.serialNumber = serialNumber
    self.notBefore = notBefore
    self.notAfter = notAfter
    keyUsage =
      switch role {
      case .countrySigner: "keyCertSign,cRLSign"
      case .documentSigner, .masterListSigner, .deviationListSigner: "digitalSignature"
      case .barcodeSigner, .nonConstrainedSigner: ""
      }
  }

  /// - Parameters:
  ///   - key: The key of the new certificate.
  ///   - issuer: Nil for a self-signed certificate.
  ///   - algorithm: The algorithm of a self-signed certificate; an issuer has its own.
  package func issue(
    for key: IssuingKey, by issuer: Issuer?, algorithm: SignatureAlgorithm = .ecdsa(.sha256)
  ) throws -> Certificate {
    guard let pointer = X509_new() else { throw CryptographyError.openSSL("X509_new") }
    let certificate = OpenSSLCertificate(owning: pointer)
    let issuerCertificate = try issuer.map { try OpenSSLCertificate(der: $0.certificate.der) } ?? certificate
    let stated = try statedIssuer.map { try OpenSSLCertificate(der: $0.der) } ?? issuerCertificate
    let subject = X509_get_subject_name(pointer)
    guard X509_set_version(pointer, 2) == 1,
      ASN1_INTEGER_set_uint64(X509_get_serialNumber(pointer), serialNumber) == 1,
      ASN1_TIME_set(X509_getm_notBefore(pointer), Int(notBefore.timeIntervalSince1970)) != nil,
      ASN1_TIME_set(X509_getm_notAfter(pointer), Int(notAfter.timeIntervalSince1970)) != nil,
      country.isEmpty || add("C", country, to: subject, V_ASN1_PRINTABLESTRING),
      organization.isEmpty || add("O", organization, to: subject, V_ASN1_UTF8STRING),
      add("CN", commonName, to: subject, V_ASN1_UTF8STRING),
      X509_set_issuer_name(pointer, X509_get_subject_name(issuerCertificate.pointer)) == 1,
      X509_set_pubkey(pointer, key.pointer) == 1
    else { throw CryptographyError.openSSL("building a certificate") }
    try CertificateExtension.add(
      extensions, to: .certificate(pointer), issuer: stated.pointer, place: issuingState)
    try (issuer?.key ?? key).withSigningContext(issuer?.algorithm ?? algorithm) { context in
      guard X509_sign_ctx(pointer, context) > 0 else { throw CryptographyError.openSSL("X509_sign_ctx") }
    }
    return try Certificate(der: OpenSSLEncoding.der("i2d_X509") { i2d_X509(pointer, &$0) })
  }

  private var extensions: [CertificateExtension] {
    // The authority key identifier of a self-signed certificate copies the subject key identifier.
    var extensions = hasSubjectKeyIdentifier ? [CertificateExtension.text(NID_subject_key_identifier, "hash")] : []
    if hasAuthorityKeyIdentifier { extensions.append(.text(NID_authority_key_identifier, "keyid:always")) }
    if !keyUsage.isEmpty { extensions.append(.text(NID_key_usage, "critical," + keyUsage)) }
    if statesNameChange { extensions.append(.nameChange) }
    if let privateKeyUsage { extensions.append(.privateKeyUsage(privateKeyUsage)) }
    if let issuingState {
      let address = issuingState.lowercased() + ".example"
      let names = "email:csca@\(address),URI:https://www.\(address),dirName:location"
      extensions += [.text(NID_subject_alt_name, names), .text(NID_issuer_alt_name, names)]
    }
    if let purpose = keyPurpose ?? role.keyPurpose {
      extensions.append(.text(NID_ext_key_usage, "critical," + purpose))
    }
    switch role {
    case .countrySigner: extensions.append(.text(NID_basic_constraints, "critical,CA:TRUE,pathlen:0"))
    case .documentSigner, .barcodeSigner, .nonConstrainedSigner:
      if !documentTypes.isEmpty { extensions.append(.documentTypes(documentTypes)) }
    case .masterListSigner, .deviationListSigner: break
    }
    if let revocationListAddress {
      extensions.append(.text(NID_crl_distribution_points, "URI:" + revocationListAddress))
    }
    return extensions
  }

  private func add(_ field: String, _ value: String, to name: OpaquePointer?, _ type: Int32) -> Bool {
    let bytes = Array(value.utf8)
    return X509_NAME_add_entry_by_txt(name, field, type, bytes, Int32(bytes.count), -1, 0) == 1
  }
}

extension CertificateBuilder.Role {
  /// The key purpose (Doc 9303-12, 7.1), dotted; nil for none.
  fileprivate var keyPurpose: String? {
    switch self {
    case .countrySigner, .documentSigner: nil
    case .masterListSigner: "2.23.136.1.1.3"
    case .deviationListSigner: "2.23.136.1.1.8"
    case .barcodeSigner: "2.23.136.1.1.11.1"
    case .nonConstrainedSigner: "2.23.136.1.1.14.2"
    }
  }
}
