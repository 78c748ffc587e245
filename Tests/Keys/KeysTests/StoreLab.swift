import Foundation
import TesseraCryptography
import TesseraKeys
import TesseraTPM
import TestSupport
import Testing

/// The three kinds of key store.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case file, token, tpm

  var testDescription: String { rawValue }

  /// The kinds whose software is installed, or required in CI.
  static let wanted = allCases.filter { kind in
    switch kind {
    case .file: true
    case .token: TokenLab.isEnabled
    case .tpm: TPMLab.isEnabled
    }
  }
}

/// A key store of one kind with its own token or TPM.
final class StoreLab: Sendable {
  let folder: TemporaryFolder
  let store: any KeyStore
  private let token: TokenLab?
  private let tpm: TPMLab?

  init(_ kind: StoreKind, keysPerOrigin: Int = KeyStores.keysPerOrigin) async throws {
    folder = try TemporaryFolder()
    switch kind {
    case .file:
      token = nil
      tpm = nil
      store = FileKeyStore(
        path: folder.url.path, newKeys: .secretServiceOrKeyFile, secrets: NonInteractive(),
        keysPerOrigin: keysPerOrigin,
        secretService: { nil })
    case .token:
      let token = try await TokenLab()
      self.token = token
      tpm = nil
      store = try TokenKeyStore(
        uri: token.uriWithPIN, secrets: NonInteractive(), path: folder.url.path, keysPerOrigin: keysPerOrigin,
        secretService: { nil })
    case .tpm:
      let tpm = try await TPMLab()
      self.tpm = tpm
      token = nil
      store = TPMKeyStore(
        path: folder.url.path, newKeysHavePIN: false, secrets: NonInteractive(), keysPerOrigin: keysPerOrigin,
        module: TrustedPlatformModule(interface: tpm.interface))
    }
  }

  /// Whether `openssl dgst` verifies a signature.
  func opensslVerifies(_ signature: P256Signature, over message: [UInt8], by key: P256PublicKey) async throws -> Bool {
    let names = ["key.pem", "message", "signature"]
    for (name, bytes) in zip(names, [PublicKeyFormat.pem.encode(key), message, try signature.der]) {
      try Data(bytes).write(to: folder.url.appendingPathComponent(name))
    }
    let run = try await RunningProgram(
      URL(fileURLWithPath: "/usr/bin/openssl"),
      [
        "dgst", "-sha256", "-verify", folder.file("key.pem"), "-signature", folder.file("signature"),
        folder.file("message"),
      ]
    ).finish(within: 120)
    return run.status == 0 && run.output.contains("Verified OK")
  }
}

/// Provides one secret when the test lets it, and records the prompts.
actor OneSecret: SecretPrompting {
  private let secret: String
  private(set) var prompts: [SecretPrompt] = []
  private(set) var hints: [String] = []

  private let mayAnswer: @Sendable () -> Bool

  init(_ secret: String, when mayAnswer: @escaping @Sendable () -> Bool = { true }) {
    self.secret = secret
    self.mayAnswer = mayAnswer
  }

  func ask(_ prompt: SecretPrompt, hint: String?) async throws -> SecretBytes? {
    prompts.append(prompt)
    if let hint { hints.append(hint) }
    // Simulates the delay of a user, so that other requests arrive in the meantime.
    var isLate = false
    try await eventually(every: .milliseconds(20)) {
      defer { isLate = true }
      return isLate && mayAnswer()
    }
    return SecretBytes(Array(secret.utf8))
  }
}
