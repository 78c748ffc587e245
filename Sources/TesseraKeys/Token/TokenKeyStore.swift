internal import CTesseraP11Kit
import FoundationEssentials
import Glibc
public import TesseraCryptography
import TesseraDurableFiles
package import TesseraSecretService
import TesseraThreads

/// A key store in a PKCS#11 token, which generates and uses the keys.
///
/// A key exists exactly as long as its private object has the key's name as label; `CKA_ID` connects it with its public
/// object. A pair is generated under a temporary label. Renaming the private object creates the key in one step, and
/// destroying it deletes the key. The public object has the name only while the private object has it, so the public
/// key can be read without the PIN.
public actor TokenKeyStore: KeyStore {
  public nonisolated let designation: String
  private nonisolated let executor = ThreadExecutor(name: "pkcs11")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let uri: TokenURI
  private let loginFlow: TokenLogin
  private let policies: ConfirmationPolicies
  private let legacyPolicies: LegacyTokenPolicies
  private let keysPerOrigin: Int
  private let lock: FolderLock

  private var modules: TokenModules?
  private var session: TokenSession?
  private let logins = RequestCoalescer<Int, Void>()
  private var signingKeys: [KeyName: SigningObject] = [:]

  private struct SigningObject {
    let handle: CK_OBJECT_HANDLE
    let requiresPINPerSignature: Bool
  }

  /// - Parameters:
  ///   - uri: identifies the token, and optionally the module (`module-path`) and the file with the PIN (`pin-source`).
  ///   - secrets: the source of the PIN.
  ///   - remembersPIN: whether to store an entered PIN in the Secret Service.
  ///   - path: the folder that contains all key stores of the user.
  ///   - keysPerOrigin: the limit of keys for each web origin.
  /// - Throws: `TokenError.badURI`, `TokenError.pinSource`.
  public init(
    uri: String, secrets: any SecretPrompting, remembersPIN: Bool = false, path: String = KeyStores.defaultPath,
    keysPerOrigin: Int = KeyStores.keysPerOrigin
  ) throws {
    try self.init(
      uri: uri, secrets: secrets, remembersPIN: remembersPIN, path: path, keysPerOrigin: keysPerOrigin,
      secretService: { try await SecretService.connect() })
  }

  package init(
    uri: String, secrets: any SecretPrompting, remembersPIN: Bool = false, path: String = KeyStores.defaultPath,
    keysPerOrigin: Int = KeyStores.keysPerOrigin,
    secretService: @escaping @Sendable () async throws -> SecretService?
  ) throws {
    self.uri = try TokenURI(uri)
    designation = self.uri.designation
    loginFlow = TokenLogin(
      pinFile: self.uri.pinFile, secrets: secrets, remembers: remembersPIN, secretService: secretService)
    policies = ConfirmationPolicies(path: path)
    legacyPolicies = LegacyTokenPolicies(folder: path + "/pkcs11")
    self.keysPerOrigin = keysPerOrigin
    lock = FolderLock(folder: path + "/pkcs11")
  }

  deinit { executor.stop() }

  // MARK: - KeyStore

  public func generate(
    _ name: KeyName, confirmation: ConfirmationPolicy, replacing: Bool
  ) async throws -> StoredKey {
    guard uri.identifier == nil else { throw TokenError.badURI("a new key gets a new id; omit id=") }
    let identifier = try RandomBytes.make(20)
    let search = try search(name)
    return try await change { objects in
      let old = try objects.privateKeys(search)
      guard replacing || old.isEmpty else { throw KeyStoreError.exists(name, store: designation) }
      guard old.count <= 1 else { throw TokenError.ambiguousKey }
      if old.isEmpty { try checkQuota(for: name, objects) }
      // Set before the key exists, so that the key never exists without its policy.
      try policies.raise(to: confirmation, of: name)
      try migratePolicies(of: old, objects, name)
      let made = try objects.generatePair(label: TokenObjects.unfinishedLabel, identifier: identifier)
      // The old key is deleted first: two keys of one name would be ambiguous. A crash in between leaves no key.
      try deleteKeys(old, objects, name, search)
      if try objects.rename(made.privateKey, search.label) {
        try objects.move(publicKey: made.publicKey, to: search.label)
      } else {
        // The token cannot rename objects: the pair is generated with the final label, which is not atomic.
        for object in [made.publicKey, made.privateKey] { try objects.session.destroy(object) }
        _ = try objects.generatePair(label: search.label, identifier: identifier)
      }
      guard let publicKey = try objects.publicKeys(identifier: identifier).first else { throw TokenError.removed }
      return try storedKey(objects, publicKey, name)
    }
  }

  public func keys() async throws -> [StoredKey] {
    // Some tokens hide public objects without login. A list does not prompt for the PIN.
    try await perform(loggedIn: try await loginFlow.hasAvailablePIN()) { objects in
      try objects.namedPublicKeys().compactMap { name, object in try? storedKey(objects, object, name) }
        .sorted { $0.name.label < $1.name.label }
    }
  }

  public func key(_ name: KeyName) async throws -> StoredKey {
    let search = try search(name)
    let open = try await perform(loggedIn: false) { objects in
      let found = try objects.publicKeys(search)
      guard Set(try found.map(objects.point)).count <= 1 else { throw TokenError.ambiguousKey }
      return try found.first.map { try storedKey(objects, $0, name) }
    }
    if let open { return open }
    // Private objects are visible only after login.
    return try await perform(loggedIn: true) { objects in
      let object = try privateObject(objects, name, search)
      let publicObject = try objects.publicKeys(identifier: try objects.identifier(object)).first
      // Some tokens also return the point with the private key.
      return try storedKey(objects, publicObject ?? object, name)
    }
  }

  public func sign(digest: [UInt8], with name: KeyName) async throws -> P256Signature {
    let search = try search(name)
    let requiresPIN = try await perform(loggedIn: true) { try signingKey($0, name, search).requiresPINPerSignature }
    guard requiresPIN else {
      return try await perform(loggedIn: true) { try sign(digest, name, search, $0) {} }
    }
    // The token expects the PIN between C_SignInit and C_Sign.
    let signature = Locked<P256Signature?>(nil)
    let finish = { @Sendable (pin: SecretBytes?) in
      let made = try await self.sign(digest, name, search, pin)
      signature.withLock { $0 = made }
    }
    try await loginFlow.login({ try await self.token() }, enter: finish)
    guard let signature = signature.withLock({ $0 }) else { throw TokenError.removed }
    return signature
  }

  private func sign(
    _ digest: [UInt8], _ name: KeyName, _ search: TokenObjects.Search, _ pin: SecretBytes?
  ) async throws -> P256Signature {
    try await perform(loggedIn: true) { objects in
      try sign(digest, name, search, objects) { try objects.session.login(pin, forOneOperation: true) }
    }
  }

  private func sign(
    _ digest: [UInt8], _ name: KeyName, _ search: TokenObjects.Search, _ objects: TokenObjects,
    authenticate: () throws -> Void
  ) throws -> P256Signature {
    do {
      let key = try signingKey(objects, name, search)
      return try signature(objects.session.sign(digest, key.handle, authenticate: authenticate))
    } catch {
      signingKeys[name] = nil
      // An unfinished signature blocks the session for all other operations.
      if error as? TokenError == .wrongPIN || error as? TokenError == .locked { session = nil }
      guard Self.isStaleHandle(error) else { throw error }
      // The handle is stale; the key may exist under another handle.
      let key = try signingKey(objects, name, search)
      return try signature(objects.session.sign(digest, key.handle, authenticate: authenticate))
    }
  }

  private func signature(_ raw: [UInt8]) throws -> P256Signature {
    do {
      return try P256Signature(raw: raw)
    } catch {
      throw TokenError.returned(CKR_GENERAL_ERROR, operation: "C_Sign", text: "the response is not a signature")
    }
  }

  @discardableResult
  public func delete(_ name: KeyName) async throws -> Bool {
    let search = try search(name)
    return try await change { objects in
      let privateKeys = try objects.privateKeys(search)
      guard privateKeys.count <= 1 else { throw TokenError.ambiguousKey }
      guard !privateKeys.isEmpty else { return false }
      try migratePolicies(of: privateKeys, objects, name)
      try deleteKeys(privateKeys, objects, name, search)
      return true
    }
  }

  /// Runs a change under a lock shared by all processes of this user.
  private func change<Result: Sendable>(_ body: (TokenObjects) throws -> Result) async throws -> Result {
    try await perform(loggedIn: true) { objects in
      try lock.withLock {
        try objects.removeUnfinished()
        return try body(objects)
      }
    }
  }

  // MARK: - Objects

  /// - Throws: `TokenError.badURI` if the URI names another key.
  private func search(_ name: KeyName) throws -> TokenObjects.Search {
    let label = Array(name.label.utf8)
    guard !label.starts(with: TokenObjects.unfinished.utf8) else {
      throw KeyStoreError.badName("begins with the prefix of unfinished keys in tokens")
    }
    guard uri.label == nil || uri.label == label else {
      throw TokenError.badURI("its object attribute differs from the key name")
    }
    return TokenObjects.Search(label: label, identifier: uri.identifier)
  }

  private func privateObject(
    _ objects: TokenObjects, _ name: KeyName, _ search: TokenObjects.Search
  ) throws -> CK_OBJECT_HANDLE {
    let found = try objects.privateKeys(search)
    guard let object = found.first else { throw KeyStoreError.notFound(name, store: designation) }
    guard found.count == 1 else { throw TokenError.ambiguousKey }
    return object
  }

  /// Deletes keys. The public object exists as long as the private object, but under a temporary label, so that no
  /// public object has the name after the private object is deleted.
  private func deleteKeys(
    _ privateKeys: [CK_OBJECT_HANDLE], _ objects: TokenObjects, _ name: KeyName, _ search: TokenObjects.Search
  ) throws {
    signingKeys[name] = nil
    for object in privateKeys {
      let identifier = try objects.identifier(object)
      // Without CKA_ID, only the label connects the objects of a pair.
      guard !identifier.isEmpty else {
        for publicKey in try objects.publicKeys(search) { try objects.session.destroy(publicKey) }
        try objects.session.destroy(object)
        continue
      }
      for publicKey in try objects.publicKeys(identifier: identifier) {
        try objects.move(publicKey: publicKey, to: TokenObjects.unfinishedLabel)
      }
      try objects.session.destroy(object)
      for publicKey in try objects.publicKeys(identifier: identifier) { try objects.session.destroy(publicKey) }
    }
  }

  private func signingKey(
    _ objects: TokenObjects, _ name: KeyName, _ search: TokenObjects.Search
  ) throws -> SigningObject {
    if let key = signingKeys[name] { return key }
    let object = try privateObject(objects, name, search)
    let key = SigningObject(handle: object, requiresPINPerSignature: try objects.requiresPINPerSignature(object))
    signingKeys[name] = key
    return key
  }

  private func storedKey(_ objects: TokenObjects, _ object: CK_OBJECT_HANDLE, _ name: KeyName) throws -> StoredKey {
    let policy = try policies.policy(of: name) ?? legacyPolicies.policy(of: try objects.identifier(object)) ?? .never
    return StoredKey(
      name: name, store: designation, protection: .token, confirmation: policy, created: try objects.created(object),
      publicKey: try objects.point(object))
  }

  /// Copies the policies of earlier versions to the key name.
  private func migratePolicies(of keys: [CK_OBJECT_HANDLE], _ objects: TokenObjects, _ name: KeyName) throws {
    for key in keys {
      guard let policy = try legacyPolicies.policy(of: try objects.identifier(key)) else { continue }
      try policies.raise(to: policy, of: name)
    }
  }

  private func checkQuota(for name: KeyName, _ objects: TokenObjects) throws {
    guard case .web = name.owner else { return }
    let count = try objects.namedPublicKeys().count { $0.name.owner == name.owner }
    guard count < keysPerOrigin else { throw KeyStoreError.tooMany(limit: keysPerOrigin) }
  }

  // MARK: - The session

  /// Runs `body` with an open session. If the session is stale, for example since the token was removed and inserted
  /// again, opens a new one and retries once.
  private func perform<Result: Sendable>(
    loggedIn: Bool, _ body: (TokenObjects) throws -> Result
  ) async throws -> Result {
    do {
      if loggedIn { try await logIn() }
      return try body(TokenObjects(session: try connect()))
    } catch {
      guard Self.isStale(error) else { throw error }
      disconnect()
    }
    if loggedIn { try await logIn() }
    return try body(TokenObjects(session: try connect()))
  }

  private func connect() throws -> TokenSession {
    if let session { return session }
    let modules = try self.modules ?? TokenModules(uri)
    self.modules = modules
    let session = try TokenSession(try modules.slot(uri), modules)
    self.session = session
    return session
  }

  private func disconnect() {
    session = nil
    signingKeys = [:]
    // Some modules detect a token that was inserted again only after they are initialised again.
    modules = nil
  }

  /// Logs in once for all tasks that wait for it.
  private func logIn() async throws {
    let session = try connect()
    guard try session.flags() & CKF_LOGIN_REQUIRED != 0, !session.isLoggedIn else { return }
    try await logins.value(0) {
      try await self.loginFlow.login({ try await self.token() }, enter: { try await self.enter($0) })
    }
  }

  private func token() throws -> TokenLogin.Token {
    let session = try connect()
    return TokenLogin.Token(
      label: session.slot.label, serialNumber: session.slot.serialNumber, flags: try session.flags())
  }

  private func enter(_ pin: SecretBytes?) throws { try connect().login(pin) }

  private static func isStaleHandle(_ error: any Error) -> Bool {
    guard case TokenError.returned(let value, _, _) = error else { return false }
    return [CKR_KEY_HANDLE_INVALID, CKR_OBJECT_HANDLE_INVALID].contains(value)
  }

  private static func isStale(_ error: any Error) -> Bool {
    switch error {
    case TokenError.removed: true
    case TokenError.returned(let value, _, _):
      [
        CKR_SESSION_HANDLE_INVALID, CKR_SESSION_CLOSED, CKR_USER_NOT_LOGGED_IN, CKR_CRYPTOKI_NOT_INITIALIZED,
        CKR_DEVICE_ERROR, CKR_OPERATION_ACTIVE,
      ].contains(value)
    default: false
    }
  }
}
