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
  ///   - published: The path of the file at the address `published`, or of the folder behind `api/sdk/translations`.
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
    port = try await program.printedPort()
  }

  deinit { program.send(signal: SIGKILL) }

  /// What the server was asked: `connection`, `method`, `path`, `headers` with names in lower case, `body`.
  ///
  /// - Parameter count: the number to wait for; an answer can arrive before the server's line about its request.
  public func requests(_ count: Int) async -> [Vector] {
    await program.lines(count).map { Vector(try? JSONSerialization.jsonObject(with: Data($0.utf8))) }
  }

  public func address(_ path: String, host: String = "localhost") -> String { "https://\(host):\(port)/\(path)" }
}

/// A proxy of Python in a process of its own. It connects every tunnel to one port of this machine.
public final class TunnelProxy: Sendable {
  public let port: Int
  private let program: RunningProgram

  /// - Parameters:
  ///   - target: the port that every tunnel leads to; nil to refuse all.
  ///   - credentials: what it asks for: a user and a password with a colon between them.
  public init(to target: Int?, credentials: String? = nil) async throws {
    let script = Fixtures.tests.appendingPathComponent("HTTPClientTests/proxy.py").path
    program = try RunningProgram(
      URL(fileURLWithPath: "/usr/bin/python3"), [script, target.map(String.init) ?? "refuse", credentials ?? ""])
    port = try await program.printedPort()
  }

  deinit { program.send(signal: SIGKILL) }

  public var address: String { "http://127.0.0.1:\(port)" }

  /// The host and port of each tunnel that was asked for.
  ///
  /// - Parameter count: the number to wait for.
  public func tunnels(_ count: Int) async -> [String] { await program.lines(count) }
}

extension RunningProgram {
  /// Waits for the first line of the output, the port that the program listens on. Ends the program if there is none.
  fileprivate func printedPort() async throws -> Int {
    guard await wait(within: 30, until: { $0.output.contains("\n") || !$0.isRunning }),
      let port = output.split(separator: "\n").first.flatMap({ Int($0) })
    else {
      send(signal: SIGKILL)
      throw Failure(.serviceUnavailable, "The server did not start: \(errors)")
    }
    return port
  }

  /// The lines after the first one, when there are at least `count` of them.
  fileprivate func lines(_ count: Int) async -> [String] {
    func lines() -> [String] { output.split(separator: "\n").dropFirst().map(String.init) }
    _ = await wait(within: 10) { _ in lines().count >= count && output.hasSuffix("\n") }
    return lines()
  }
}
