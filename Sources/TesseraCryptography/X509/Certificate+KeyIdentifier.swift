internal import CTesseraOpenSSL

extension Certificate {
  /// The value of the subject key identifier extension (RFC 5280, 4.2.1.2).
  package var subjectKeyIdentifier: [UInt8]? {
    guard let certificate = try? OpenSSLCertificate(der: der),
      let identifier = X509_get0_subject_key_id(certificate.pointer)
    else { return nil }
    return Array(
      UnsafeBufferPointer(start: ASN1_STRING_get0_data(identifier), count: Int(ASN1_STRING_length(identifier))))
  }
}
