import Foundation
import Synchronization
import TesseraCore

/// A private software TPM 2.0 (swtpm): a new state in a temporary folder, and free ports of the loopback. It has no
/// resource manager: it has space for three keys, and objects that a program leaves loaded stay. The TSS's transport
/// connects for every command, so several programs can use it alternately.
public final class TPMLab: Sendable {
  private static let swtpm = "/usr/bin/swtpm"
  private let folder: TemporaryFolder
  private let running: Mutex<(program: RunningProgram?, port: UInt16)>

  /// The reason why the lab cannot run here; nil if it can.
  public static let unavailableReason: String? = {
    let libraries = "/usr/lib/\(architecture)-linux-gnu"
    for file in [
      swtpm, "/usr/bin/openssl", "/usr/bin/tpm2_getcap", "\(libraries)/ossl-modules/tpm2.so",
      "\(libraries)/libtss2-tcti-swtpm.so.0",
    ] where !FileManager.default.fileExists(atPath: file) {
      return "\(file) is missing: apt-get install swtpm tpm2-tools tpm2-openssl libtss2-tcti-swtpm0"
    }
    return nil
  }()

  #if arch(arm64)
    private static let architecture = "aarch64"
  #else
    private static let architecture = "x86_64"
  #endif

  /// Whether tests with this lab run. In continuous integration a missing service is a failure, elsewhere the tests are
  /// skipped.
  public static let isEnabled = unavailableReason == nil || ProcessInfo.processInfo.environment["CI"] == "true"

  /// Creates a new TPM and starts it.
  public init() async throws {
    if let unavailableReason = Self.unavailableReason { throw Failure(.serviceUnavailable, unavailableReason) }
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("state"), withIntermediateDirectories: true)
    running = Mutex((nil, 0))
    // Another process can take the free ports before swtpm binds them.
    for _ in 0..<10 {
      let port = try LoopbackPort.freePair()
      running.withLock { $0.port = port }
      do {
        try await start()
        return
      } catch {
        continue
      }
    }
    throw Failure(.serviceUnavailable, "swtpm did not start.")
  }

  deinit { stop() }

  /// The port for commands; the control channel has the next port.
  public var port: UInt16 { running.withLock { $0.port } }

  /// Starts the TPM with its state and port, after `stop`.
  public func start() async throws {
    let port = port
    let program = try RunningProgram(
      URL(fileURLWithPath: Self.swtpm),
      [
        "socket", "--tpm2", "--tpmstate", "dir=\(folder.file("state"))",
        "--server", "type=tcp,port=\(port),bindaddr=127.0.0.1",
        "--ctrl", "type=tcp,port=\(port + 1),bindaddr=127.0.0.1",
        "--flags", "not-need-init,startup-clear",
      ])
    running.withLock { $0.program = program }
    let accepts = try await isTrue(within: .seconds(60)) { LoopbackPort.accepts(port) || !program.isRunning }
    if accepts, program.isRunning { return }
    stop()
    throw Failure(.serviceUnavailable, "swtpm did not start: \(program.errors)")
  }

  /// Stops the TPM like a power failure. Its state remains. If a PIN was used before, the TPM counts a wrong attempt at
  /// its next start.
  public func stop() {
    let program = running.withLock { state in
      defer { state.program = nil }
      return state.program
    }
    guard let program else { return }
    program.send(signal: SIGKILL)
    // Its port is free after its end.
    program.blockUntilExit(within: 60)
  }

  /// Suspends the TPM: commands get no response until `resume`.
  public func pause() { running.withLock { $0.program?.send(signal: SIGSTOP) } }

  public func resume() { running.withLock { $0.program?.send(signal: SIGCONT) } }

  public func restart() async throws {
    stop()
    try await start()
  }

  /// The TCTI configuration of this TPM.
  public var interface: String { Self.interface(port: port) }

  public static func interface(port: UInt16) -> String { "swtpm:host=127.0.0.1,port=\(port)" }

  /// The environment with which OpenSSL's `tpm2` provider and tpm2-tools use this TPM.
  public var environment: [String: String] {
    ["TPM2OPENSSL_TCTI": interface, "TPM2TOOLS_TCTI": interface, "TSS2_LOG": "all+NONE"]
  }

  /// Runs a program of /usr/bin as a client of this TPM; kills it after `timeout` seconds.
  public func run(_ program: String, _ arguments: [String], timeout: Double = 120) async throws -> ProgramRun {
    let program = URL(fileURLWithPath: "/usr/bin/\(program)")
    return try await RunningProgram(program, arguments, environment: environment).finish(within: timeout)
  }

  /// The handles of the keys and sessions that are loaded in the TPM.
  public func leftovers() async throws -> [String] {
    var found: [String] = []
    for kind in ["handles-transient", "handles-loaded-session"] {
      let run = try await run("tpm2_getcap", [kind])
      guard run.status == 0 else { throw Failure(.serviceUnavailable, "tpm2_getcap: \(run.errors)") }
      found += run.output.split(separator: "\n").map(String.init)
    }
    return found
  }
}
