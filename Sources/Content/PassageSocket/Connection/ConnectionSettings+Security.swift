internal import NIOSSL
internal import TesseraHTTPClient

extension ConnectionSettings {
  /// The settings of TLS: version 1.2 or later, and a certificate for the host by the roots of the system or those of
  /// `SSL_CERT_FILE`. Reads that file.
  ///
  /// - Throws: `HTTPError.certificateFile`.
  func security() throws(HTTPError) -> TLSConfiguration {
    var security = TLSConfiguration.makeClientConfiguration()
    security.minimumTLSVersion = .tlsv12
    security.certificateVerification = .fullVerification
    if let certificateFile {
      guard let roots = try? NIOSSLCertificate.fromPEMFile(certificateFile), !roots.isEmpty else {
        throw .certificateFile(certificateFile)
      }
      security.additionalTrustRoots = [.certificates(roots)]
    }
    return security
  }
}
