internal import Foundation
internal import TesseraCore
internal import TestSupport

/// A new certificate of a server, which is its own root, in files.
package final class LabCertificate: Sendable {
  /// PEM.
  package let file: String
  package let keyFile: String
  private let folder: TemporaryFolder

  /// - Parameter names: What the certificate is for.
  /// - Throws: `Failure` if OpenSSL does not make it.
  package init(names: String = "DNS:localhost,IP:127.0.0.1") async throws {
    folder = try TemporaryFolder()
    (file, keyFile) = (folder.file("certificate.pem"), folder.file("key.pem"))
    let creation = try await RunningProgram(
      URL(fileURLWithPath: "/usr/bin/openssl"),
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
        "/CN=test", "-addext", "subjectAltName=\(names)", "-keyout", keyFile, "-out", file,
      ]
    ).finish()
    guard creation.status == 0 else { throw Failure(.internalError, "OpenSSL made no certificate: \(creation.errors)") }
  }
}
