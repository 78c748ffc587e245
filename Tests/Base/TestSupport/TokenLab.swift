import Foundation
import TesseraCore
import TestEnvironment

/// A private PKCS#11 software token (SoftHSM2). All tokens of a test process are in one folder, because the module
/// reads its configuration only once.
public final class TokenLab: Sendable {
  public static let pin = "271828"
  private static let util = "/usr/bin/softhsm2-util"
  private static let module = "/usr/lib/softhsm/libsofthsm2.so"
  public let label: String
  /// The folder of the token's files.
  private let files: String
  private let folder: TemporaryFolder

  /// The reason why the lab cannot run here; nil if it can.
  public static let unavailableReason: String? = {
    for file in [util, module, "/usr/bin/pkcs11-tool"] where !FileManager.default.fileExists(atPath: file) {
      return "\(file) is missing: apt-get install softhsm2 opensc"
    }
    return nil
  }()

  /// Whether tests with this lab run. In continuous integration a missing service is a failure, elsewhere the tests are
  /// skipped.
  public static let isEnabled = unavailableReason == nil || ProcessInfo.processInfo.environment["CI"] == "true"

  /// The folder of all tokens.
  private static let tokens = String(cString: tessera_test_softhsm_folder()) + "/tokens"

  /// Creates the folder of all tokens.
  private static let isPrepared: Bool = {
    (try? configure(String(cString: tessera_test_softhsm_folder()), tokens: tokens)) != nil
  }()

  /// Writes a configuration of SoftHSM.
  ///
  /// - Returns: its path.
  private static func configure(_ folder: String, tokens: String) throws -> String {
    try FileManager.default.createDirectory(atPath: tokens, withIntermediateDirectories: true)
    let file = folder + "/softhsm2.conf"
    try "directories.tokendir = \(tokens)\nobjectstore.backend = file\nlog.level = ERROR\n".write(
      toFile: file, atomically: true, encoding: .utf8)
    return file
  }

  /// Acquires an unused token.
  public init() async throws {
    if let unavailableReason = Self.unavailableReason { throw Failure(.keyStoreUnavailable, unavailableReason) }
    guard Self.isPrepared else { throw Failure(.keyStoreUnavailable, "SoftHSM's folder could not be created.") }
    (label, files) = try await Pool.shared.take()
    folder = try TemporaryFolder()
    try Self.pin.write(toFile: folder.file("pin"), atomically: true, encoding: .utf8)
  }

  /// The tokens of this process. All are created before the module is loaded, because SoftHSM searches for tokens only
  /// then; and one after the other, because its tool fails if it finds an incomplete one.
  private actor Pool {
    static let shared = Pool()
    private static let size = 40
    private var unused: [(label: String, files: String)]?

    func take() throws -> (label: String, files: String) {
      var free = try unused ?? (0..<Self.size).map(make)
      defer { unused = free }
      guard let token = free.popLast() else { throw Failure(.keyStoreUnavailable, "All tokens of the lab are in use.") }
      return token
    }

    private func make(_ number: Int) throws -> (label: String, files: String) {
      let label = "lab-\(number)"
      let earlier = try FileManager.default.contentsOfDirectory(atPath: tokens)
      let arguments = ["--init-token", "--free", "--label", label, "--so-pin", "314159", "--pin", pin]
      guard ProgramRun.succeeds(util, arguments),
        let name = try FileManager.default.contentsOfDirectory(atPath: tokens).first(where: { !earlier.contains($0) })
      else { throw Failure(.keyStoreUnavailable, "softhsm2-util could not create a token.") }
      return (label, "\(tokens)/\(name)")
    }
  }

  /// The token, with the module and without a PIN.
  public var uri: String { "pkcs11:token=\(label)?module-path=\(Self.module)" }

  /// The same URI with the file of the PIN.
  public var uriWithPIN: String { "\(uri)&pin-source=file:\(folder.file("pin"))" }

  /// The label that the token reports.
  public func serialNumber() async throws -> String {
    let list = try await RunningProgram(
      URL(fileURLWithPath: "/usr/bin/pkcs11-tool"), ["--module", Self.module, "--list-token-slots"]
    ).finish(within: 120).output
    let slot = list.components(separatedBy: "token label        : \(label)\n").last ?? ""
    return slot.components(separatedBy: "serial num         : ").dropFirst().first?
      .components(separatedBy: "\n").first ?? ""
  }

  /// Runs OpenSC's tool on the token, which no store uses at that moment.
  ///
  /// The tool changes a copy, whose files then take the place of the others. SoftHSM writes a file in its place, and a
  /// process that reads it meanwhile, since it looks at all tokens, cannot use the token any more.
  public func tool(_ arguments: [String]) async throws -> ProgramRun {
    let place = try TemporaryFolder()
    let copies = place.file("tokens")
    let configuration = try Self.configure(place.url.path, tokens: copies)
    let copy = "\(copies)/\(URL(fileURLWithPath: files).lastPathComponent)"
    try FileManager.default.copyItem(atPath: files, toPath: copy)
    let run = try await RunningProgram(
      URL(fileURLWithPath: "/usr/bin/pkcs11-tool"),
      ["--module", Self.module, "--token-label", label, "--login", "--pin", Self.pin] + arguments,
      environment: ["SOFTHSM2_CONF": configuration]
    ).finish(within: 120)
    // The generation says that the other files have changed, so it comes last.
    let names = try FileManager.default.contentsOfDirectory(atPath: copy)
    for name in try FileManager.default.contentsOfDirectory(atPath: files) where !names.contains(name) {
      try FileManager.default.removeItem(atPath: "\(files)/\(name)")
    }
    for name in names.sorted(by: { $1 == "generation" && $0 != $1 }) {
      guard rename("\(copy)/\(name)", "\(files)/\(name)") == 0 else {
        throw Failure(.keyStoreUnavailable, "The files of the token could not be replaced.")
      }
    }
    return run
  }
}
