public import TesseraCryptography

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The public description of a stored key.
public struct StoredKey: Sendable, Equatable {
  /// The protection of the private key if the disk is stolen.
  public enum Protection: String, Sendable, CaseIterable {
    /// Encrypted with a random secret from the Secret Service (the keyring of the desktop).
    case secretService = "secret-service"
    /// Encrypted with a passphrase.
    case passphrase
    /// Encrypted with a random secret from a file of mode 0600 in the same folder: protects no more than the file mode.
    case keyFile = "key-file"
    /// Unencrypted in a file of mode 0600.
    case unprotected
    /// Inside a token that requires a PIN.
    case token
    /// Wrapped by the TPM of this machine.
    case tpm
    /// Wrapped by the TPM of this machine, which requires a PIN.
    case tpmAndPIN = "tpm+pin"

    /// The protection in a list of properties.
    package var words: String {
      switch self {
      case .secretService: "protected by the keyring"
      case .passphrase: "protected by a passphrase"
      case .keyFile: "protected by a key file next to it"
      case .unprotected: "not encrypted"
      case .token: "protected by the token's PIN"
      case .tpm: "bound to this TPM"
      case .tpmAndPIN: "bound to this TPM, protected by a PIN"
      }
    }

    /// Whether a signature can ask the user for a secret.
    package var asksForSecret: Bool { [.passphrase, .token, .tpmAndPIN].contains(self) }
  }

  public let name: KeyName
  /// `file`, `tpm2`, or a token's URI.
  public let store: String
  public let protection: Protection
  /// The policy of the key name.
  public let confirmation: ConfirmationPolicy
  /// The creation date: to the second in files, to the day in tokens; nil if unknown.
  public let created: Date?
  /// The public key; nil if the token holds only the private key.
  let knownPublicKey: P256PublicKey?

  init(
    name: KeyName, store: String, protection: Protection, confirmation: ConfirmationPolicy, created: Date?,
    publicKey: P256PublicKey?
  ) {
    self.name = name
    self.store = store
    self.protection = protection
    self.confirmation = confirmation
    self.created = created
    knownPublicKey = publicKey
  }

  /// - Throws: `KeyStoreError.noPublicKey` if the token holds only the private key, with which it can sign.
  public var publicKey: P256PublicKey {
    get throws {
      guard let knownPublicKey else { throw KeyStoreError.noPublicKey(name) }
      return knownPublicKey
    }
  }

  /// A copy with another policy.
  package func confirmed(_ confirmation: ConfirmationPolicy) -> StoredKey {
    StoredKey(
      name: name, store: store, protection: protection, confirmation: confirmation, created: created,
      publicKey: knownPublicKey)
  }
}

/// Whether the user must confirm signatures for web content.
public enum ConfirmationPolicy: String, Sendable, CaseIterable, Comparable {
  case never
  /// Once for each run of the program.
  case session
  case always

  /// Stricter policies are greater.
  public static func < (left: ConfirmationPolicy, right: ConfirmationPolicy) -> Bool {
    let order = allCases
    return (order.firstIndex(of: left) ?? 0) < (order.firstIndex(of: right) ?? 0)
  }
}
