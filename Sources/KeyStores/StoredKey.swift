public import Cryptography

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What may be told of a key.
public struct StoredKey: Sendable, Equatable {
  /// What stands between a thief of the disk and the key.
  public enum Protection: String, Sendable, CaseIterable {
    /// Encrypted under a random secret that the Secret Service (the desktop's keyring) holds.
    case secretService = "secret-service"
    /// Encrypted under a passphrase.
    case passphrase
    /// Encrypted under a random secret in a file of mode 0600 beside it: no more than the file's mode.
    case keyFile = "key-file"
    /// Nothing but the file's mode, 0600.
    case unprotected
    /// Inside a token; a PIN opens it.
    case token
    /// Usable on this machine's TPM only.
    case tpm
    /// The same, with a PIN.
    case tpmAndPIN = "tpm+pin"
  }

  public let name: KeyName
  /// `file`, `tpm2`, or a token's URI.
  public let store: String
  public let protection: Protection
  /// That of its name.
  public let confirmation: ConfirmationPolicy
  /// To the second in files, to the day in tokens; nil where the store does not know.
  public let created: Date?
  public let publicKey: P256PublicKey

  /// The same key under another policy.
  public func confirmed(_ confirmation: ConfirmationPolicy) -> StoredKey {
    StoredKey(
      name: name, store: store, protection: protection, confirmation: confirmation, created: created,
      publicKey: publicKey)
  }
}

/// Whether a person is asked before a web origin's signature is made.
public enum ConfirmationPolicy: String, Sendable, CaseIterable, Comparable {
  case never
  /// Once, until this process ends.
  case session
  case always

  /// The stricter one is the greater.
  public static func < (left: ConfirmationPolicy, right: ConfirmationPolicy) -> Bool {
    let order = allCases
    return (order.firstIndex(of: left) ?? 0) < (order.firstIndex(of: right) ?? 0)
  }
}
