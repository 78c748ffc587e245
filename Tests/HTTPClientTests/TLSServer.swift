import Foundation
import TestSupport
import Testing

/// A web server of Python in a process of its own, with a new certificate.
final class TLSServer: Sendable {
  let port: Int
  /// The server's certificate, which is its own root.
  let certificateFile: String
  private let folder: TemporaryFolder
  private let program: RunningProgram

  /// - Parameter names: What the certificate is for.
  init(names: String = "DNS:localhost,IP:127.0.0.1") async throws {
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
    try #require(creation.status == 0, "\(creation.errors)")
    let script = Fixtures.tests.appendingPathComponent("HTTPClientTests/server.py").path
    program = try RunningProgram(URL(fileURLWithPath: "/usr/bin/python3"), [script, certificateFile, key])
    guard await program.wait(within: 30, until: { $0.output.contains("\n") || !$0.isRunning }),
      let port = Int(program.output.trimmingCharacters(in: .whitespacesAndNewlines))
    else {
      program.send(signal: SIGKILL)
      Issue.record("the server did not start: \(program.errors)")
      throw CancellationError()
    }
    self.port = port
  }

  deinit { program.send(signal: SIGKILL) }

  func address(_ path: String, host: String = "localhost") -> String { "https://\(host):\(port)/\(path)" }
}
