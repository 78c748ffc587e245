import Foundation
import TesseraCore
import TesseraThreads

/// A web server of Python in a process of its own, with a new certificate.
public final class TLSServer: Sendable {
  public let port: Int
  /// The server's certificate, which is its own root.
  public let certificateFile: String
  private let folder: TemporaryFolder
  private let script: String
  private let arguments: [String]
  /// One process after the other; only the last one can run.
  private let servers: Locked<[ScriptedServer]>

  /// - Parameters:
  ///   - names: What the certificate is for.
  ///   - script: The server, in the folder of the tests.
  ///   - published: The path of the file at the addresses `published` and `v1/sessions/…`, or of the folder behind
  ///     `api/sdk/translations`. A POST to `results` has no answer as long as the folder has the file `hold`.
  public init(
    names: String = "DNS:localhost,IP:127.0.0.1", script: String = "Base/HTTPClientTests/server.py",
    published: String = "/dev/null"
  ) async throws {
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
    self.script = script
    arguments = [certificateFile, key, published]
    let server = try await ScriptedServer(script, arguments + ["0"])
    servers = Locked([server])
    port = server.port
  }

  /// Ends the server: from now on its port refuses connections.
  public func goAway() async { await servers.withLock { $0.last }?.end() }

  /// Starts the server anew at the same port, after `goAway`.
  public func comeBack() async throws {
    let server = try await ScriptedServer(script, arguments + ["\(port)"])
    servers.withLock { $0.append(server) }
  }

  /// What the server was asked: `connection`, `method`, `path`, `headers` with names in lower case, `body`.
  ///
  /// All requests whose answers have arrived are there.
  ///
  /// - Parameter count: the number to wait for.
  public func requests(_ count: Int) async -> [Vector] {
    var lines: [String] = []
    for server in servers.withLock({ $0 }) { lines += await server.lines(count - lines.count) }
    return lines.map { Vector(try? JSONSerialization.jsonObject(with: Data($0.utf8))) }
  }

  public func address(_ path: String, host: String = "localhost") -> String { "https://\(host):\(port)/\(path)" }
}

/// A proxy of Python in a process of its own. It connects every tunnel to one port of this machine.
public final class TunnelProxy: Sendable {
  public var port: Int { proxy.port }
  private let proxy: ScriptedServer
  private let isIPv6: Bool

  /// - Parameters:
  ///   - target: the port that every tunnel leads to; nil to refuse all.
  ///   - credentials: what it asks for: a user and a password with a colon between them.
  ///   - isIPv6: whether it is at the address ::1 instead of 127.0.0.1.
  public init(to target: Int?, credentials: String? = nil, isIPv6: Bool = false) async throws {
    self.isIPv6 = isIPv6
    proxy = try await ScriptedServer(
      "Base/HTTPClientTests/proxy.py",
      [target.map(String.init) ?? "refuse", credentials ?? "", isIPv6 ? "::1" : "127.0.0.1"])
  }

  public var address: String { "http://\(isIPv6 ? "[::1]" : "127.0.0.1"):\(port)" }

  /// The host and port of each tunnel that was asked for.
  ///
  /// - Parameter count: the number to wait for.
  public func tunnels(_ count: Int) async -> [String] { await proxy.lines(count) }
}

/// A server of Python in a process of its own. It prints its port, a line for everything that happens, and what it
/// reads from its standard input.
private final class ScriptedServer: Sendable {
  let port: Int
  private let program: RunningProgram
  private let input = Pipe()
  private let marks = Locked(0)

  init(_ script: String, _ arguments: [String]) async throws {
    let path = Fixtures.tests.appendingPathComponent(script).path
    // -B: no compiled module is written beside the sources.
    program = try RunningProgram(
      URL(fileURLWithPath: "/usr/bin/python3"), ["-B", path] + arguments, standardInput: input)
    guard await program.wait(within: 120, until: { $0.output.contains("\n") || !$0.isRunning }),
      let port = program.output.split(separator: "\n").first.flatMap({ Int($0) })
    else {
      program.send(signal: SIGKILL)
      throw Failure(.serviceUnavailable, "The server did not start: \(program.errors)")
    }
    self.port = port
  }

  deinit { program.send(signal: SIGKILL) }

  /// Kills the server, and returns when everything that it printed has been read.
  func end() async { _ = await program.finish(within: 0) }

  /// Everything that has happened up to now, when there are at least `count` lines.
  ///
  /// The output is read by another thread: what was printed before a mark has been read when the mark has been read.
  func lines(_ count: Int) async -> [String] {
    _ = await program.wait(within: 60) { _ in lines.count { !$0.hasPrefix(Self.mark) } >= count || !program.isRunning }
    let mark = marks.withLock { number in
      number += 1
      return "\(Self.mark)\(number)"
    }
    if program.isRunning {
      try? input.fileHandleForWriting.write(contentsOf: Data("\(mark)\n".utf8))
      _ = await program.wait(within: 60) { _ in lines.contains(mark) || !program.isRunning }
    }
    return lines.filter { !$0.hasPrefix(Self.mark) }
  }

  private static let mark = "mark "

  /// The lines after the port. The last one may be incomplete.
  private var lines: [String] {
    program.output.split(separator: "\n", omittingEmptySubsequences: false).dropFirst().dropLast().map(String.init)
  }
}
