import Failures
import Foundation
import Synchronization

/// A TPM 2.0 in software (swtpm) of the test's own: a fresh state in a temporary folder, ports of the loopback that
/// were free. It has no resource manager: it holds three keys, and what a program leaves behind stays. The TSS's
/// transport connects to it anew for every command, so that several programs can take turns.
public final class TPMLab: Sendable {
  private static let swtpm = "/usr/bin/swtpm"
  private let folder: TemporaryFolder
  private let running: Mutex<(program: RunningProgram?, port: UInt16)>

  /// Why the lab cannot run here; nil where it can.
  public static let obstacle: String? = {
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

  /// In continuous integration a missing stack is a failure, elsewhere a reason to skip.
  public static let isWanted = obstacle == nil || ProcessInfo.processInfo.environment["CI"] == "true"

  /// Makes a new TPM and starts it.
  public init() async throws {
    if let obstacle = Self.obstacle { throw Failure(.serviceUnavailable, obstacle) }
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("state"), withIntermediateDirectories: true)
    running = Mutex((nil, 0))
    // Between the look for free ports and swtpm's own bind somebody else may take them.
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
    throw Failure(.serviceUnavailable, "swtpm does not start.")
  }

  deinit { stop() }

  /// Where commands go; the control channel is at the next port.
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
    let deadline = Date.now.addingTimeInterval(60)
    while Date.now < deadline, program.isRunning {
      if LoopbackPort.accepts(port) { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    stop()
    throw Failure(.serviceUnavailable, "swtpm did not start: \(program.errors)")
  }

  /// Ends the TPM, as a power cut does. Its state stays; where a PIN was used before, the TPM counts the cut as a
  /// wrong one when it starts again.
  public func stop() {
    let program = running.withLock { state in
      defer { state.program = nil }
      return state.program
    }
    guard let program else { return }
    program.send(signal: SIGKILL)
    // Its port is free once it is gone.
    for _ in 0..<500 where program.isRunning { usleep(2_000) }
  }

  /// Lets commands wait without an answer, until `resume`.
  public func pause() { running.withLock { $0.program?.send(signal: SIGSTOP) } }

  public func resume() { running.withLock { $0.program?.send(signal: SIGCONT) } }

  public func restart() async throws {
    stop()
    try await start()
  }

  /// The TCTI configuration of this TPM.
  public var interface: String { Self.interface(port: port) }

  public static func interface(port: UInt16) -> String { "swtpm:host=127.0.0.1,port=\(port)" }

  /// What makes OpenSSL's `tpm2` provider and tpm2-tools talk to this TPM.
  public var environment: [String: String] {
    ["TPM2OPENSSL_TCTI": interface, "TPM2TOOLS_TCTI": interface, "TSS2_LOG": "all+NONE"]
  }

  /// Runs a program of /usr/bin as a client of this TPM; kills it when it takes longer than `timeout` seconds.
  public func run(_ program: String, _ arguments: [String], timeout: Double = 120) async throws -> ProgramRun {
    let program = URL(fileURLWithPath: "/usr/bin/\(program)")
    return try await RunningProgram(program, arguments, environment: environment).finish(within: timeout)
  }

  /// The handles of keys and sessions that somebody left in the TPM.
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
