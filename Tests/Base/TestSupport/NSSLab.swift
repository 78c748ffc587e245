import Foundation
import TesseraCore

/// A private key database of NSS (that of Firefox and `certutil`), which p11-kit loads for programs with this
/// environment. p11-kit does not read such a configuration for root.
public final class NSSLab: Sendable {
  public static let pin = "271828"
  private static let module = "/usr/lib/x86_64-linux-gnu/libsoftokn3.so"
  private let folder: TemporaryFolder
  private let hasPassword: Bool

  /// The reason why the lab cannot run here; nil if it can.
  public static let unavailableReason: String? = {
    if getuid() == 0 { return "p11-kit reads no configuration of root" }
    for file in [module, "/usr/bin/certutil", "/usr/bin/pk12util", "/usr/bin/pkcs11-tool", "/usr/bin/openssl"]
    where !FileManager.default.fileExists(atPath: file) {
      return "\(file) is missing: apt-get install libnss3-tools opensc openssl"
    }
    return nil
  }()

  /// Whether tests with this lab run. In continuous integration a missing program is a failure, elsewhere the tests are
  /// skipped; they always are as root.
  public static let isEnabled =
    unavailableReason == nil || ProcessInfo.processInfo.environment["CI"] == "true" && getuid() != 0

  /// - Parameter hasPassword: whether the database has a password.
  public init(hasPassword: Bool = true) throws {
    if let unavailableReason = Self.unavailableReason { throw Failure(.keyStoreUnavailable, unavailableReason) }
    self.hasPassword = hasPassword
    folder = try TemporaryFolder()
    for path in ["db", ".config/pkcs11/modules"] {
      try FileManager.default.createDirectory(atPath: folder.file(path), withIntermediateDirectories: true)
    }
    try "\(hasPassword ? Self.pin : "")\n".write(toFile: pinFile, atomically: true, encoding: .utf8)
    let protection = hasPassword ? ["-f", pinFile] : ["--empty-password"]
    guard ProgramRun.succeeds("/usr/bin/certutil", ["-N", "-d", database] + protection) else {
      throw Failure(.keyStoreUnavailable, "certutil could not create a database.")
    }
    try configure()
  }

  /// - Parameter isReadOnly: whether NSS opens the database for reading only.
  public func configure(isReadOnly: Bool = false) throws {
    let text = """
      module: \(Self.module)
      x-init-reserved: configdir='\(database)'\(isReadOnly ? " flags=readOnly" : "")

      """
    try text.write(toFile: folder.file(".config/pkcs11/modules/nss.module"), atomically: true, encoding: .utf8)
  }

  public var database: String { "sql:" + folder.file("db") }
  public var pinFile: String { folder.file("pin") }
  public var uri: String { "pkcs11:token=NSS%20Certificate%20DB?pin-source=file:\(pinFile)" }
  public func file(_ name: String) -> String { folder.file(name) }

  public var environment: [String: String] {
    ["HOME": folder.url.path, "XDG_CONFIG_HOME": folder.file(".config"), "XDG_DATA_HOME": folder.file("data")]
  }

  /// Runs `tessera key` on the database.
  public func key(_ arguments: [String]) async throws -> ProgramRun {
    try await ProgramRun.tessera(["key"] + arguments + ["--store", uri], environment: environment)
  }

  /// Starts it in the background.
  public func startKey(_ arguments: [String]) throws -> RunningProgram {
    try RunningProgram(ProgramRun.tessera, ["key"] + arguments + ["--store", uri], environment: environment)
  }

  /// Runs a program of another project with the same environment.
  public func run(_ program: String, _ arguments: [String]) async throws -> ProgramRun {
    try await RunningProgram(URL(fileURLWithPath: "/usr/bin/" + program), arguments, environment: environment)
      .finish(within: 120)
  }

  /// All objects, as OpenSC's `pkcs11-tool` prints them.
  public func objects() async throws -> String {
    try await run(
      "pkcs11-tool",
      [
        "--module", "/usr/lib/x86_64-linux-gnu/p11-kit-proxy.so", "--token-label", "NSS Certificate DB",
        "--list-objects",
      ] + (hasPassword ? ["--login", "--pin", Self.pin] : [])
    ).output
  }
}
