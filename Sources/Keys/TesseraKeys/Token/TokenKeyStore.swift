internal import CTesseraP11Kit
import FoundationEssentials
import Glibc
public import TesseraCryptography
import TesseraDurableFiles
package import TesseraSecretService
import TesseraThreads

extension KeyStoreKind {
  static let token = KeyStoreKind(
    "pkcs11:", [.sharedPIN], choice: "a pkcs11: URI (RFC 7512)", subject: "the token"
  ) { try TokenKeyStore(uri: $0.designation, secrets: $0.secrets, remembersPIN: $0.remembersPIN, path: $0.path) }
}

/// A key store in a PKCS#11 token, which generates and uses the keys.
///
/// A key is a private object, whoever made it. Its name is its label, or `CKA_ID` in hexadecimal digits if it has no
/// label; `id=` in the URI chooses it by `CKA_ID`. Other objects of the token are never changed, also if they have the
/// same label or `CKA_ID`. Public keys can be read without the PIN where the token has public objects with the name;
/// everything else needs it.
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
    let search = try search(name)
    return try await change { objects in
      let old = try objects.privateKeys(search)
      guard replacing || old.isEmpty else { throw KeyStoreError.exists(name, store: designation) }
      guard old.count <= 1 else { throw TokenError.ambiguousKey }
      if old.isEmpty { try checkQuota(for: name, objects) }
      // Set before the key exists, so that the key never exists without its policy.
      try policies.raise(to: confirmation, of: name)
      for key in old { try migratePolicy(of: key, name) }
      signingKeys[name] = nil
      let key = try objects.generate(search.label, replacing: old.first)
      return try storedKey(name, key, identifier: [], created: .now)
    }
  }

  public func keys() async throws -> [StoredKey] {
    // A list does not prompt for the PIN. Private objects are visible only after login, if the token requires one.
    let isPrivate = try await seesPrivateKeys()
    return try await perform(loggedIn: isPrivate) { objects in
      let keys =
        if isPrivate {
          try objects.privateKeys().compactMap { key in
            try key.name.map { try storedKey(objects, key, $0, try objects.publicHalf(of: key)) }
          }
        } else {
          try objects.publicKeys().map { try storedKey(objects, $0) }
        }
      return keys.sorted { $0.name.label < $1.name.label }
    }
  }

  /// Whether private objects are visible without a prompt.
  private func seesPrivateKeys() async throws -> Bool {
    if try await loginFlow.hasAvailablePIN() { return true }
    return try await perform(loggedIn: false) { objects in
      try objects.session.flags() & CKF_LOGIN_REQUIRED == 0 || objects.session.isLoggedIn()
    }
  }

  public func key(_ name: KeyName) async throws -> StoredKey {
    let search = try search(name)
    if try await !seesPrivateKeys() {
      let open = try await perform(loggedIn: false) { objects in
        let found = try objects.publicKeys(search)
        // Several ones are told apart after login.
        return Set(found.map(\.key)).count == 1 ? try found.first.map { try storedKey(objects, $0) } : nil
      }
      if let open { return open }
    }
    return try await perform(loggedIn: true) { objects in
      let key = try privateKey(objects, name, search)
      // Where another process was killed in a replacement, the old key is still there.
      if signingKeys[name]?.handle != key.handle { signingKeys[name] = nil }
      return try storedKey(objects, key, name, try objects.publicHalf(of: key))
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
      let found = try objects.privateKeys(search)
      guard found.count <= 1 else { throw TokenError.ambiguousKey }
      guard let key = found.first else { return false }
      // The URI chose the key by its id, and the command names another one. A key without a label has no name to compare.
      if let other = key.name, other != name, key.label != search.label, !key.label.isEmpty {
        throw TokenError.otherName(other.name)
      }
      try migratePolicy(of: key, name)
      signingKeys[name] = nil
      try objects.delete(key)
      return true
    }
  }

  /// Runs a change once, under a lock shared by all processes of this user.
  private func change<Result: Sendable>(_ body: (TokenObjects) throws -> Result) async throws -> Result {
    // A stale session is noticed here. From then on nothing is repeated: it may have been carried out.
    try await perform(loggedIn: true, isWritable: true) { _ = try $0.session.isLoggedIn() }
    let objects = TokenObjects(session: try connect(isWritable: true))
    return try lock.withLock {
      try objects.completeChanges()
      return try body(objects)
    }
  }

  // MARK: - Objects

  /// - Throws: `TokenError.badURI` if the URI names another key.
  private func search(_ name: KeyName) throws -> TokenObjects.Search {
    let label = Array(name.label.utf8)
    guard !ReservedLabel.isReserved(label) else {
      throw KeyStoreError.badName("begins with a prefix that marks unfinished keys in tokens")
    }
    guard uri.label == nil || uri.label == label else {
      throw TokenError.badURI("its object attribute differs from the key name")
    }
    return TokenObjects.Search(
      label: label, identifier: uri.identifier, allowsOtherNames: name.owner == .local)
  }

  private func privateKey(
    _ objects: TokenObjects, _ name: KeyName, _ search: TokenObjects.Search
  ) throws -> TokenObjects.PrivateKey {
    let found = try objects.privateKeys(search)
    guard let key = found.first else { throw KeyStoreError.notFound(name, store: designation) }
    guard found.count == 1 else { throw TokenError.ambiguousKey }
    return key
  }

  private func signingKey(
    _ objects: TokenObjects, _ name: KeyName, _ search: TokenObjects.Search
  ) throws -> SigningObject {
    if let key = signingKeys[name] { return key }
    let handle = try privateKey(objects, name, search).handle
    let key = SigningObject(handle: handle, requiresPINPerSignature: try objects.requiresPINPerSignature(handle))
    signingKeys[name] = key
    return key
  }

  private func storedKey(
    _ objects: TokenObjects, _ key: TokenObjects.PrivateKey, _ name: KeyName, _ publicHalf: TokenObjects.PublicHalf?
  ) throws -> StoredKey {
    let created = try objects.created(key.handle) ?? publicHalf?.objects.first.flatMap { try objects.created($0) }
    return try storedKey(name, publicHalf?.key, identifier: key.identifier, created: created)
  }

  private func storedKey(_ objects: TokenObjects, _ key: TokenObjects.NamedPublicKey) throws -> StoredKey {
    try storedKey(key.name, key.key, identifier: key.identifier, created: try objects.created(key.object))
  }

  private func storedKey(
    _ name: KeyName, _ key: P256PublicKey?, identifier: [UInt8], created: Date?
  ) throws -> StoredKey {
    let policy = try policies.policy(of: name) ?? legacyPolicies.policy(of: identifier) ?? .never
    return StoredKey(
      name: name, store: designation, protection: .token, confirmation: policy, created: created, publicKey: key)
  }

  /// Copies the policy of an earlier version to the key name.
  private func migratePolicy(of key: TokenObjects.PrivateKey, _ name: KeyName) throws {
    guard let policy = try legacyPolicies.policy(of: key.identifier) else { return }
    try policies.raise(to: policy, of: name)
  }

  private func checkQuota(for name: KeyName, _ objects: TokenObjects) throws {
    guard case .web = name.owner else { return }
    let count = try objects.privateKeys().count { $0.name?.owner == name.owner }
    guard count < keysPerOrigin else { throw KeyStoreError.tooMany(limit: keysPerOrigin) }
  }

  // MARK: - The session

  /// Runs `body` with an open session. If the session is stale, for example since the token was removed and inserted
  /// again, opens a new one and retries once.
  private func perform<Result: Sendable>(
    loggedIn: Bool, isWritable: Bool = false, _ body: (TokenObjects) throws -> Result
  ) async throws -> Result {
    do {
      if loggedIn { try await logIn(isWritable: isWritable) }
      return try body(TokenObjects(session: try connect(isWritable: isWritable)))
    } catch {
      guard Self.isStale(error) else { throw error }
      disconnect()
    }
    if loggedIn { try await logIn(isWritable: isWritable) }
    return try body(TokenObjects(session: try connect(isWritable: isWritable)))
  }

  /// The open session, or a new one. A write-protected token allows sessions that only read.
  private func connect(isWritable: Bool = false) throws -> TokenSession {
    if let session, session.isWritable || !isWritable { return session }
    let modules = try self.modules ?? TokenModules(uri)
    self.modules = modules
    // The old session is closed after this, so that the login remains: it belongs to all sessions of a process.
    let session = try TokenSession(try modules.slot(uri), modules, isWritable: isWritable)
    self.session = session
    signingKeys = [:]
    return session
  }

  private func disconnect() {
    session = nil
    signingKeys = [:]
    // Some modules detect a token that was inserted again only after they are initialised again.
    modules = nil
  }

  /// Logs in once for all tasks that wait for it.
  private func logIn(isWritable: Bool) async throws {
    let session = try connect(isWritable: isWritable)
    guard try session.flags() & CKF_LOGIN_REQUIRED != 0, try !session.isLoggedIn() else { return }
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

  static func isStale(_ error: any Error) -> Bool {
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
