import Foundation
import TesseraCore

/// A web server of Python in a process of its own, with a new certificate.
public final class TLSServer: Sendable {
  public let port: Int
  /// The server's certificate, which is its own root.
  public let certificateFile: String
  private let folder: TemporaryFolder
  private let program: RunningProgram

  /// - Parameters:
  ///   - names: What the certificate is for.
  ///   - published: The path of the file at the address `published`.
  public init(names: String = "DNS:localhost,IP:127.0.0.1", published: String = "/dev/null") async throws {
    folder = try TemporaryFolder()
    let key = folder.file("key.pem")
    certificateFile = folder.file("certificate.pem")
    let creation = try await RunningProgram(
      URL(fileURLWithPath: "/usr/bin/openssl"),
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
        "/CN=test", "-addext", "subjectAltName=\(names)", "-keyout", key, "-out", certificateFile,
      ]
    ).finish()
    guard creation.status == 0 else { throw Failure(.internalError, "OpenSSL made no certificate: \(creation.errors)") }
    let script = Fixtures.tests.appendingPathComponent("HTTPClientTests/server.py").path
    program = try RunningProgram(URL(fileURLWithPath: "/usr/bin/python3"), [script, certificateFile, key, published])
    guard await program.wait(within: 30, until: { $0.output.contains("\n") || !$0.isRunning }),
      let port = Int(program.output.trimmingCharacters(in: .whitespacesAndNewlines))
    else {
      program.send(signal: SIGKILL)
      throw Failure(.serviceUnavailable, "The server did not start: \(program.errors)")
    }
    self.port = port
  }

  deinit { program.send(signal: SIGKILL) }

  public func address(_ path: String, host: String = "localhost") -> String { "https://\(host):\(port)/\(path)" }
}
