import Foundation
import Tessera
import TesseraKeys
import TesseraTPM

/// Rates of signing with P-256 in every kind of key store. For stores in this process the rate is per second of
/// processor time, as in `openssl speed`.
enum SigningBenchmarks {
  static func run(_ folder: String) async throws -> [Measurement] {
    try await files(folder) + token(folder) + tpm(folder)
  }

  private static func files(_ folder: String) async throws -> [Measurement] {
    let store = FileKeyStore(
      path: folder + "/keys", newKeys: .secretServiceOrKeyFile, secrets: NonInteractive(), secretService: { nil })
    let provider = KeyStoreCryptoProvider(store: store, confirmations: SignatureConfirmation(prompting: Desktop()))
    let name = try KeyName("k")
    _ = try await store.generate(name, confirmation: .never, replacing: false)
    let digest = [UInt8](repeating: 7, count: 32)
    let message = Data(repeating: 7, count: 32).base64EncodedString()
    // Alternately, because the machine's speed drifts.
    var (ours, bridged, floor) = (0.0, 0.0, 0.0)
    for _ in 0..<3 {
      ours = max(ours, try await computingRate(40_000) { _ = try await store.sign(digest: digest, with: name) })
      bridged = max(bridged, try await computingRate(40_000) { _ = try await provider.sign("k", message, for: .local) })
      let speed = try run("openssl", ["speed", "-seconds", "1", "ecdsap256"])
      let words = speed.split(separator: "\n").last?.split(separator: " ") ?? []
      floor = max(floor, words.suffix(2).first.flatMap { Double($0) } ?? 0)
    }
    return [
      Measurement("sign, file store", ours, .perSecond, floor: floor, of: "openssl speed", goal: 0.85 * floor),
      Measurement(
        "sign, bridge's provider over it", bridged, .perSecond, floor: floor, of: "openssl speed", goal: 0.8 * floor),
    ]
  }

  private static func token(_ folder: String) async throws -> [Measurement] {
    let module = "/usr/lib/softhsm/libsofthsm2.so"
    guard FileManager.default.fileExists(atPath: module) else {
      note("SoftHSM2 is not installed: no rows for tokens.")
      return []
    }
    setenv("SOFTHSM2_CONF", folder + "/softhsm2.conf", 1)
    try FileManager.default.createDirectory(atPath: folder + "/tokens", withIntermediateDirectories: true)
    try "directories.tokendir = \(folder)/tokens\n".write(
      toFile: folder + "/softhsm2.conf", atomically: true, encoding: .utf8)
    try "1234".write(toFile: folder + "/pin", atomically: true, encoding: .utf8)
    _ = try run("softhsm2-util", ["--init-token", "--free", "--label", "bench", "--so-pin", "1234", "--pin", "1234"])
    let pkcs11 = ["--module", module, "--token-label", "bench", "--login", "--pin", "1234"]
    _ = try run("pkcs11-tool", pkcs11 + ["--keypairgen", "--key-type", "EC:prime256v1", "--label", "k", "--id", "01"])
    let uri = "pkcs11:token=bench?module-path=\(module)&pin-source=file:\(folder)/pin"
    let store = try TokenKeyStore(uri: uri, secrets: NonInteractive(), path: folder + "/keys", secretService: { nil })
    let name = try KeyName("k")
    let digest = [UInt8](repeating: 7, count: 32)
    let inProcess = try await computingRate(4_000) { _ = try await store.sign(digest: digest, with: name) }
    try Data(digest).write(to: URL(fileURLWithPath: folder + "/digest"))
    let processes = try compare(
      "sign, SoftHSM2, one process each",
      ["key", "sign", "k", folder + "/digest", "-o", folder + "/sig", "--store", uri],
      "pkcs11-tool --sign",
      (
        "pkcs11-tool",
        pkcs11 + ["--sign", "-m", "ECDSA", "--id", "01", "-i", folder + "/digest", "-o", folder + "/sig"]
      ))
    return [Measurement("sign, SoftHSM2, in this process", inProcess, .perSecond)] + processes
  }

  private static func tpm(_ folder: String) async throws -> [Measurement] {
    guard SoftwareTPM.isInstalled else {
      note("swtpm is not installed: no rows for TPMs.")
      return []
    }
    let swtpm = try SoftwareTPM(folder: folder + "/tpm")
    defer { swtpm.stop() }
    try await Task.sleep(for: .seconds(1))
    let interface = swtpm.interface
    setenv("TPM2OPENSSL_TCTI", interface, 1)
    let module = TrustedPlatformModule(interface: interface)
    let store = TPMKeyStore(
      path: folder + "/tessera/keys", newKeysHavePIN: false, secrets: NonInteractive(), module: module)
    let name = try KeyName("k")
    _ = try await store.generate(name, confirmation: .never, replacing: false)
    let digest = [UInt8](repeating: 7, count: 32)
    let inProcess = try await rate(1_000) { _ = try await store.sign(digest: digest, with: name) }
    await module.release()
    let key = folder + "/tessera/keys/tpm2/local/k.pem"
    let processes = try compare(
      "sign, swtpm, one process each",
      ["key", "sign", "k", folder + "/digest", "-o", folder + "/sig", "--store", "tpm2"],
      "openssl pkeyutl -provider tpm2",
      (
        "openssl",
        [
          "pkeyutl", "-provider", "tpm2", "-provider", "default", "-sign", "-inkey", key, "-rawin", "-digest", "sha256",
          "-in", folder + "/digest", "-out", folder + "/sig",
        ]
      ))
    return [Measurement("sign, swtpm, in this process, elapsed", inProcess, .perSecond)] + processes
  }

  // MARK: - Measuring

  /// Calls per second of processor time.
  private static func computingRate(_ count: Int, _ body: () async throws -> Void) async throws -> Double {
    try await body()  // opens the key
    let start = ProcessorTime.ofProcess
    for _ in 0..<count { try await body() }
    return Double(count) / Double(ProcessorTime.ofProcess - start) * 1_000_000_000
  }

  /// Calls per second.
  private static func rate(_ count: Int, _ body: () async throws -> Void) async throws -> Double {
    try await body()  // opens the key
    let start = ContinuousClock.now
    for _ in 0..<count { try await body() }
    return Double(count) / (start.duration(to: .now) / .seconds(1))
  }

  /// The elapsed times of two programs, the minimum of several runs.
  private static func compare(
    _ name: String, _ arguments: [String], _ vendor: String, _ tool: (String, [String])
  ) throws -> [Measurement] {
    let tessera = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("tessera").path
    guard FileManager.default.fileExists(atPath: tessera) else {
      note("\(name): build the product tessera first.")
      return []
    }
    var best = (ours: Double.infinity, theirs: Double.infinity)
    for _ in 0..<20 {
      best.ours = min(best.ours, try milliseconds(tessera, arguments))
      best.theirs = min(best.theirs, try milliseconds("/usr/bin/" + tool.0, tool.1))
    }
    return [Measurement("\(name), elapsed", best.ours, .milliseconds, floor: best.theirs, of: vendor)]
  }

  private static func milliseconds(_ program: String, _ arguments: [String]) throws -> Double {
    let start = ContinuousClock.now
    _ = try run(program, arguments)
    return start.duration(to: .now) / .milliseconds(1)
  }

  private static func run(_ program: String, _ arguments: [String]) throws -> String {
    try ChildProcess.run(program.hasPrefix("/") ? program : "/usr/bin/" + program, arguments).output
  }
}
