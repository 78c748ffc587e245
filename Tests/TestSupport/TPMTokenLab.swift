import Failures
import Foundation

/// A second kind of PKCS#11 token, one that locks: tpm2-pkcs11 over a TPM in software, with the resource manager that it
/// needs on a session bus of its own.
public final class TPMTokenLab: Sendable {
  public static let pin = "271828"
  private let tpm: TPMLab
  private let bus: SecretServiceLab
  private let manager: RunningProgram
  private let folder: TemporaryFolder

  private static let module: String? = ["x86_64", "aarch64"].map {
    "/usr/lib/\($0)-linux-gnu/pkcs11/libtpm2_pkcs11.so"
  }.first { FileManager.default.fileExists(atPath: $0) }

  /// Why the lab cannot run here; nil where it can.
  public static let obstacle: String? = {
    if let obstacle = TPMLab.obstacle ?? SecretServiceLab.obstacle { return obstacle }
    let files = ["/usr/sbin/tpm2-abrmd", "/usr/bin/tpm2_ptool"]
    guard module != nil, files.allSatisfy(FileManager.default.fileExists) else {
      return "tpm2-pkcs11 is missing: "
        + "apt-get install tpm2-abrmd libtss2-tcti-tabrmd0 libtpm2-pkcs11-1 libtpm2-pkcs11-tools"
    }
    return nil
  }()

  /// In continuous integration a missing stack is a failure, elsewhere a reason to skip.
  public static let isWanted = obstacle == nil || ProcessInfo.processInfo.environment["CI"] == "true"

  public init() async throws {
    if let obstacle = Self.obstacle { throw Failure(.keyStoreUnavailable, obstacle) }
    tpm = try await TPMLab()
    bus = try await SecretServiceLab(hasKeyring: false)
    folder = try TemporaryFolder()
    manager = try RunningProgram(
      URL(fileURLWithPath: "/usr/sbin/tpm2-abrmd"), ["--session", "--allow-root", "--tcti=\(tpm.interface)"],
      environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
    let path = folder.url.path
    // The resource manager takes its name on the bus a moment after it was started.
    for _ in 0..<100 {
      let run = try await tool("tpm2_ptool", ["init", "--path", path])
      if run.status == 0 { break }
      try await Task.sleep(for: .milliseconds(100))
    }
    let run = try await tool(
      "tpm2_ptool", ["addtoken", "--pid=1", "--sopin=so", "--userpin=\(Self.pin)", "--label=lock", "--path", path])
    guard run.status == 0 else {
      stop()
      throw Failure(.keyStoreUnavailable, "tpm2_ptool: \(run.errors)")
    }
  }

  deinit { stop() }

  private func stop() { manager.send(signal: SIGKILL) }

  public var uri: String { "pkcs11:token=lock?module-path=\(Self.module ?? "")" }

  /// What makes a client of the module find its token.
  public var environment: [String: String] {
    [
      "DBUS_SESSION_BUS_ADDRESS": bus.address, "TPM2_PKCS11_STORE": folder.url.path, "TPM2_PKCS11_LOG_LEVEL": "0",
      "TPM2_PKCS11_TCTI": "tabrmd:bus_type=session", "TPM2TOOLS_TCTI": "tabrmd:bus_type=session",
      "TSS2_LOG": "all+NONE",
    ]
  }

  private func tool(_ program: String, _ arguments: [String]) async throws -> ProgramRun {
    try await RunningProgram(URL(fileURLWithPath: "/usr/bin/" + program), arguments, environment: environment)
      .finish(within: 180)
  }
}
