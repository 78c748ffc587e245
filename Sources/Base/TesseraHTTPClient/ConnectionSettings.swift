import Glibc
import TesseraCore

/// What the environment says about connections to servers: whether there may be any, the proxy, and the roots of trust.
package struct ConnectionSettings: Sendable {
  /// The longest file of certificates.
  private static let maximumCertificates = 16 << 20

  /// Whether `TESSERA_OFFLINE` is set, so that no connection may be made.
  package let isOffline: Bool
  package let proxies: ProxySettings
  /// The file with roots of trust beside those of the system, in PEM.
  package let certificateFile: String?

  /// - Parameter environment: `SSL_CERT_FILE`, `TESSERA_OFFLINE` and the variables of `ProxySettings` are used.
  package init(environment: [String: String]) {
    certificateFile = environment["SSL_CERT_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    isOffline = !["", "0"].contains(environment["TESSERA_OFFLINE"] ?? "")
    proxies = ProxySettings(environment: environment)
  }

  /// The contents of the file that `SSL_CERT_FILE` names; nil without one. Reads that file.
  ///
  /// - Throws: `HTTPError.certificateFile`.
  func certificates() throws(HTTPError) -> [UInt8]? {
    guard let certificateFile else { return nil }
    // The library for TLS reads the certificates themselves.
    guard let bytes = Self.contents(of: certificateFile),
      String(decoding: bytes, as: UTF8.self).contains("CERTIFICATE-----")
    else { throw .certificateFile(certificateFile) }
    return bytes
  }

  private static func contents(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var contents: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { return contents }
      contents += buffer.prefix(count)
      guard contents.count <= maximumCertificates else { return nil }
    }
  }
}
