import Cryptography
import Foundation
import KeyStores
import TestSupport
import Testing
import TrustedPlatform

/// The three kinds of key store.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
  case file, token, tpm

  var testDescription: String { rawValue }

  /// Those whose stack is here, or has to be.
  static let wanted = allCases.filter { kind in
    switch kind {
    case .file: true
    case .token: TokenLab.isWanted
    case .tpm: TPMLab.isWanted
    }
  }
}

/// A key store of one kind over a real stack that nobody else uses.
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
        path: folder.url.path, newKeys: .secretServiceOrKeyFile, secrets: NobodyToAsk(), keysPerOrigin: keysPerOrigin,
        secretService: { nil })
    case .token:
      let token = try await TokenLab()
      self.token = token
      tpm = nil
      store = try TokenKeyStore(
        uri: token.uriWithPIN, secrets: NobodyToAsk(), path: folder.url.path, keysPerOrigin: keysPerOrigin,
        secretService: { nil })
    case .tpm:
      let tpm = try await TPMLab()
      self.tpm = tpm
      token = nil
      store = TPMKeyStore(
        path: folder.url.path, newKeysHavePIN: false, secrets: NobodyToAsk(), keysPerOrigin: keysPerOrigin,
        module: TrustedPlatformModule(interface: tpm.interface))
    }
  }

  /// What `openssl dgst` says of a signature.
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

/// Knows one secret, and counts how often it is asked.
actor OneSecret: SecretAsking {
  private let secret: String
  private(set) var questions: [SecretQuestion] = []
  private(set) var hints: [String] = []

  init(_ secret: String) { self.secret = secret }

  func ask(_ question: SecretQuestion, hint: String?) async throws -> SecretBytes? {
    questions.append(question)
    if let hint { hints.append(hint) }
    // A person takes a while; others may come to ask meanwhile.
    try await Task.sleep(for: .milliseconds(20))
    return SecretBytes(Array(secret.utf8))
  }
}
