import Foundation
import TesseraCore

/// A PKCS#11 token that locks after wrong PINs: tpm2-pkcs11 over a software TPM, with its resource manager on a private
/// session bus.
public final class TPMTokenLab: Sendable {
  public static let pin = "271828"
  private let tpm: TPMLab
  private let bus: SecretServiceLab
  private let manager: RunningProgram
  private let folder: TemporaryFolder

  private static let module: String? = ["x86_64", "aarch64"].map {
    "/usr/lib/\($0)-linux-gnu/pkcs11/libtpm2_pkcs11.so"
  }.first { FileManager.default.fileExists(atPath: $0) }

  /// The reason why the lab cannot run here; nil if it can.
  public static let unavailableReason: String? = {
    if let unavailableReason = TPMLab.unavailableReason ?? SecretServiceLab.unavailableReason {
      return unavailableReason
    }
    let files = ["/usr/sbin/tpm2-abrmd", "/usr/bin/tpm2_ptool"]
    guard module != nil, files.allSatisfy(FileManager.default.fileExists) else {
      return "tpm2-pkcs11 is missing: "
        + "apt-get install tpm2-abrmd libtss2-tcti-tabrmd0 libtpm2-pkcs11-1 libtpm2-pkcs11-tools"
    }
    return nil
  }()

  /// Whether tests with this lab run. In continuous integration a missing service is a failure, elsewhere the tests are
  /// skipped.
  public static let isEnabled = unavailableReason == nil || ProcessInfo.processInfo.environment["CI"] == "true"

  public init() async throws {
    if let unavailableReason = Self.unavailableReason { throw Failure(.keyStoreUnavailable, unavailableReason) }
    tpm = try await TPMLab()
    bus = try await SecretServiceLab(hasKeyring: false)
    folder = try TemporaryFolder()
    manager = try RunningProgram(
      URL(fileURLWithPath: "/usr/sbin/tpm2-abrmd"), ["--session", "--allow-root", "--tcti=\(tpm.interface)"],
      environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
    let path = folder.url.path
    // The resource manager acquires its name on the bus some time after its start.
    _ = try await isTrue(within: .seconds(120), every: .milliseconds(100)) {
      try await tool("tpm2_ptool", ["init", "--path", path]).status == 0
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

  /// The environment with which a client of the module finds the token.
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
