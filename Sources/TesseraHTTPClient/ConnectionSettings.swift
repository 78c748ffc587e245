package import NIOSSL

/// What the environment says about connections to servers: whether there may be any, the proxy, and the roots of trust.
package struct ConnectionSettings: Sendable {
  /// Whether `TESSERA_OFFLINE` is set, so that no connection may be made.
  package let isOffline: Bool
  package let proxies: ProxySettings
  private let certificateFile: String?

  /// - Parameter environment: `SSL_CERT_FILE`, `TESSERA_OFFLINE` and the variables of `ProxySettings` are used.
  package init(environment: [String: String]) {
    certificateFile = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    isOffline = !["", "0"].contains(environment["TESSERA_OFFLINE"] ?? "")
    proxies = ProxySettings(environment: environment)
  }

  /// The settings of TLS: version 1.2 or later, and a certificate for the host by the roots of the system or those of
  /// `SSL_CERT_FILE`. Reads that file.
  ///
  /// - Throws: `HTTPError.certificateFile`.
  package func security() throws(HTTPError) -> TLSConfiguration {
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
