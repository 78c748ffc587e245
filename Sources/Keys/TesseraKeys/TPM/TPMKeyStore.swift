import TesseraCore
public import TesseraCryptography
package import TesseraTPM
import TesseraThreads

extension KeyStoreKind {
  static let tpm = KeyStoreKind(
    "tpm2", [.listing], release: TrustedPlatformModule.releaseAll, obstacle: TPMKeyStore.ownObstacle
  ) {
    var newKeysHavePIN = false
    if case .passphrase = $0.newKeys { newKeysHavePIN = true }
    return TPMKeyStore(path: $0.path, newKeysHavePIN: newKeysHavePIN, secrets: $0.secrets)
  }
}

/// A key store backed by the TPM 2.0 of this machine. Its files contain keys that the TPM wrapped, and are useless on
/// other machines.
public final class TPMKeyStore: KeyStore {
  public let designation = KeyStoreKind.tpm.name
  private let folder: KeyFolder
  private let newKeysHavePIN: Bool
  private let secrets: any SecretPrompting
  private let module: TrustedPlatformModule
  private let work = OwnerWorkQueues<Caller>(threads: 1, name: "key files")

  /// - Parameters:
  ///   - path: the folder that contains all key stores of the user.
  ///   - newKeysHavePIN: whether new keys get a PIN, which every signature requires.
  ///   - secrets: the source of PINs.
  ///   - keysPerOrigin: the limit of keys for each web origin.
  public convenience init(
    path: String = KeyStores.defaultPath, newKeysHavePIN: Bool, secrets: any SecretPrompting,
    keysPerOrigin: Int = KeyStores.keysPerOrigin
  ) {
    self.init(
      path: path, newKeysHavePIN: newKeysHavePIN, secrets: secrets, keysPerOrigin: keysPerOrigin,
      module: TrustedPlatformModule())
  }

  package init(
    path: String = KeyStores.defaultPath, newKeysHavePIN: Bool, secrets: any SecretPrompting,
    keysPerOrigin: Int = KeyStores.keysPerOrigin, module: TrustedPlatformModule
  ) {
    folder = KeyFolder(path, store: designation, keysPerOrigin: keysPerOrigin)
    self.newKeysHavePIN = newKeysHavePIN
    self.secrets = secrets
    self.module = module
  }

  /// Whether there is a device at all. Another interface, such as a simulator, is known only when it is used.
  ///
  /// - Parameter interface: as for `TrustedPlatformModule.unavailability(interface:)`.
  package static func obstacle(interface: String? = nil) -> TPMError? {
    switch TrustedPlatformModule.unavailability(interface: interface) {
    case .noDevice(let path): .unavailable(.noDevice(path: path))
    case .accessDenied(let path): .unavailable(.accessDenied(path: path))
    case .noResponse, nil: nil
    }
  }

  fileprivate static func ownObstacle() -> (any Error)? { obstacle() }

  public func generate(
    _ name: KeyName, confirmation: ConfirmationPolicy, replacing: Bool
  ) async throws -> StoredKey {
    try folder.check(name, replacing: replacing)
    let pin = newKeysHavePIN ? try await secrets.require(.newPIN(key: name.name)) : nil
    let key = try await module.createSigningKey(pin: pin)
    let file = KeyFile(
      protection: pin == nil ? .tpm : .tpmAndPIN, publicKey: try P256PublicKey(point: key.publicPoint),
      label: TPMKey.pemLabel, privateKey: SecretBytes(key.der))
    return try await work[name.owner].run { [folder] in
      try folder.write(file, to: name, confirmation: confirmation, replacing: replacing).key
    }
  }

  public func keys() async throws -> [StoredKey] { try folder.keys() }

  public func damagedKeys() async throws -> [KeyName] { try folder.damagedNames() }

  public func key(_ name: KeyName) async throws -> StoredKey { try folder.key(name) }

  public func sign(digest: [UInt8], with name: KeyName) async throws -> P256Signature {
    let file = try file(name)
    guard file.label == TPMKey.pemLabel else { throw KeyStoreError.damaged(name, "its PEM blocks") }
    var key = try TPMKey(der: file.privateKey.withUnsafeBytes { Array($0) })
    key.needsPIN = file.protection == .tpmAndPIN
    guard key.publicPoint == file.publicKey.point else {
      throw KeyStoreError.damaged(name, "its public key does not match its private key")
    }
    let pin = key.needsPIN ? try await secrets.require(.keyPIN(key: name.name)) : nil
    let signature = try await module.sign(digest: digest, with: key, pin: pin)
    return try P256Signature(raw: signature.r + signature.s)
  }

  @discardableResult
  public func delete(_ name: KeyName) async throws -> Bool {
    try await work[name.owner].run { [folder] in try folder.remove(name).isRemoved }
  }

  private func file(_ name: KeyName) throws -> KeyFile {
    guard let (file, _) = try folder.read(name) else { throw KeyStoreError.notFound(name, store: designation) }
    return file
  }
}
