internal import CP11Kit
public import Cryptography
import DurableFiles
import Foundation
public import SecretService
import Threads

/// Keys in a PKCS#11 token: made and used inside it.
///
/// A key is its private object: where that has a name, the key exists, and its public object is found by `CKA_ID`.
/// While a pair is made its objects bear a name of their own; naming the private object is the one step that makes the
/// key be there, and destroying it the one that ends it. A public object bears the name only while the private one does,
/// so that a public key can be told without the PIN.
public actor TokenKeyStore: KeyStore {
  public nonisolated let designation: String
  private nonisolated let executor = ThreadExecutor(name: "pkcs11")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let uri: TokenURI
  private let access: TokenLogin
  private let policies: ConfirmationPolicies
  private let earlier: EarlierTokenPolicies
  private let keysPerOrigin: Int
  private let lock: FolderLock

  private var modules: TokenModules?
  private var session: TokenSession?
  private let login = SharedWork<Int, Void>()
  private var signingKeys: [KeyName: SigningObject] = [:]

  private struct SigningObject {
    let handle: CK_OBJECT_HANDLE
    let wantsPINEachTime: Bool
  }

  /// - Parameters:
  ///   - uri: names the token, and may name the module (`module-path`) and the file of the PIN (`pin-source`).
  ///   - secrets: knows the PIN.
  ///   - remembersPIN: whether a PIN that was asked for is put into the Secret Service.
  ///   - path: the folder of all key stores of a user.
  ///   - keysPerOrigin: how many keys one web origin can have.
  /// - Throws: `TokenError.badURI`, `TokenError.pinSource`.
  public init(
    uri: String, secrets: any SecretAsking, remembersPIN: Bool = false, path: String = KeyStores.defaultPath,
    keysPerOrigin: Int = KeyStores.keysPerOrigin,
    secretService: @escaping @Sendable () async throws -> SecretService? = { try await SecretService.connect() }
  ) throws {
    self.uri = try TokenURI(uri)
    designation = self.uri.designation
    access = TokenLogin(
      pinFile: self.uri.pinFile, secrets: secrets, remembers: remembersPIN, secretService: secretService)
    policies = ConfirmationPolicies(path: path)
    earlier = EarlierTokenPolicies(folder: path + "/pkcs11")
    self.keysPerOrigin = keysPerOrigin
    lock = FolderLock(folder: path + "/pkcs11")
  }

  deinit { executor.stop() }

  // MARK: - KeyStore

  public func generate(
    _ name: KeyName, confirmation: ConfirmationPolicy, replacing: Bool
  ) async throws -> StoredKey {
    guard uri.identifier == nil else { throw TokenError.badURI("a new key gets an id of its own; leave id= out") }
    let identifier = try RandomBytes.make(20)
    let search = try search(name)
    return try await change { objects in
      let old = try objects.privateKeys(search)
      guard replacing || old.isEmpty else { throw KeyStoreError.exists(name, store: designation) }
      guard old.count <= 1 else { throw TokenError.ambiguousKey }
      if old.isEmpty { try checkRoom(for: name, objects) }
      // Before the key exists, so that it never exists without.
      try policies.raise(to: confirmation, of: name)
      try keepPolicies(of: old, objects, name)
      let made = try objects.makePair(label: TokenObjects.unfinishedLabel, identifier: identifier)
      // The old key goes before the new one comes: never are there two of one name, of which nobody could tell which
      // is meant. Between the two steps there is none.
      try withdraw(old, objects, name, search)
      if try objects.rename(made.privateKey, search.label) {
        try objects.move(publicKey: made.publicKey, to: search.label)
      } else {
        // Such a token has no step that is whole; its own way of making a pair has to do.
        for object in [made.publicKey, made.privateKey] { try objects.session.destroy(object) }
        _ = try objects.makePair(label: search.label, identifier: identifier)
      }
      guard let publicKey = try objects.publicKeys(identifier: identifier).first else { throw TokenError.removed }
      return try storedKey(objects, publicKey, name)
    }
  }

  public func keys() async throws -> [StoredKey] {
    // Some tokens show their public objects after the PIN only; it is not asked for to make a list.
    try await perform(loggedIn: try await access.hasOwnPIN()) { objects in
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
    // The private object decides, and shows itself after the PIN only.
    return try await perform(loggedIn: true) { objects in
      let object = try privateObject(objects, name, search)
      let publicObject = try objects.publicKeys(identifier: try objects.identifier(object)).first
      // Some tokens tell the point with the private key, too.
      return try storedKey(objects, publicObject ?? object, name)
    }
  }

  public func sign(digest: [UInt8], with name: KeyName) async throws -> P256Signature {
    let search = try search(name)
    let wantsPIN = try await perform(loggedIn: true) { try signingKey($0, name, search).wantsPINEachTime }
    guard wantsPIN else {
      return try await perform(loggedIn: true) { try sign(digest, name, search, $0) {} }
    }
    // Such a token takes the PIN between the beginning and the end of one signature.
    let signature = Locked<P256Signature?>(nil)
    let finish = { @Sendable (pin: SecretBytes?) in
      let made = try await self.sign(digest, name, search, pin)
      signature.withLock { $0 = made }
    }
    try await access.login({ try await self.token() }, enter: finish)
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
      // A signature that was begun and not ended blocks the session for everything else.
      if error as? TokenError == .wrongPIN || error as? TokenError == .locked { session = nil }
      guard Self.isGone(error) else { throw error }
      // The handle was an old one; a key of this name may be there nevertheless.
      let key = try signingKey(objects, name, search)
      return try signature(objects.session.sign(digest, key.handle, authenticate: authenticate))
    }
  }

  private func signature(_ raw: [UInt8]) throws -> P256Signature {
    do {
      return try P256Signature(raw: raw)
    } catch {
      throw TokenError.returned(CKR_GENERAL_ERROR, operation: "C_Sign", text: "what it answered is no signature")
    }
  }

  @discardableResult
  public func delete(_ name: KeyName) async throws -> Bool {
    let search = try search(name)
    return try await change { objects in
      let privateKeys = try objects.privateKeys(search)
      guard privateKeys.count <= 1 else { throw TokenError.ambiguousKey }
      guard !privateKeys.isEmpty else { return false }
      try keepPolicies(of: privateKeys, objects, name)
      try withdraw(privateKeys, objects, name, search)
      return true
    }
  }

  /// Runs a change while no other process of this user makes one.
  private func change<Result: Sendable>(_ body: (TokenObjects) throws -> Result) async throws -> Result {
    try await perform(loggedIn: true) { objects in
      try lock.hold {
        try objects.sweep()
        return try body(objects)
      }
    }
  }

  // MARK: - Objects

  /// - Throws: `TokenError.badURI` where the URI names another key.
  private func search(_ name: KeyName) throws -> TokenObjects.Search {
    let label = Array(name.label.utf8)
    guard !label.starts(with: TokenObjects.unfinished.utf8) else {
      throw KeyStoreError.badName("begins with what marks unfinished keys in tokens")
    }
    guard uri.label == nil || uri.label == label else {
      throw TokenError.badURI("its object is another key than the one that is named")
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

  /// Takes keys away. As long as a private key is there, so is its public one, under whatever name; and no public key
  /// bears the name once the private one is gone.
  private func withdraw(
    _ privateKeys: [CK_OBJECT_HANDLE], _ objects: TokenObjects, _ name: KeyName, _ search: TokenObjects.Search
  ) throws {
    signingKeys[name] = nil
    for object in privateKeys {
      let identifier = try objects.identifier(object)
      // Without an identifier the name is all that they have in common.
      guard !identifier.isEmpty else {
        for partner in try objects.publicKeys(search) { try objects.session.destroy(partner) }
        try objects.session.destroy(object)
        continue
      }
      for partner in try objects.publicKeys(identifier: identifier) {
        try objects.move(publicKey: partner, to: TokenObjects.unfinishedLabel)
      }
      try objects.session.destroy(object)
      for partner in try objects.publicKeys(identifier: identifier) { try objects.session.destroy(partner) }
    }
  }

  private func signingKey(
    _ objects: TokenObjects, _ name: KeyName, _ search: TokenObjects.Search
  ) throws -> SigningObject {
    if let key = signingKeys[name] { return key }
    let object = try privateObject(objects, name, search)
    let key = SigningObject(handle: object, wantsPINEachTime: try objects.wantsPINEachTime(object))
    signingKeys[name] = key
    return key
  }

  private func storedKey(_ objects: TokenObjects, _ object: CK_OBJECT_HANDLE, _ name: KeyName) throws -> StoredKey {
    let policy = try policies.policy(of: name) ?? earlier.policy(of: try objects.identifier(object)) ?? .never
    return StoredKey(
      name: name, store: designation, protection: .token, confirmation: policy, created: try objects.created(object),
      publicKey: try objects.point(object))
  }

  /// The policies that keys had of their own are their names' from now on.
  private func keepPolicies(of keys: [CK_OBJECT_HANDLE], _ objects: TokenObjects, _ name: KeyName) throws {
    for key in keys {
      guard let policy = try earlier.policy(of: try objects.identifier(key)) else { continue }
      try policies.raise(to: policy, of: name)
    }
  }

  private func checkRoom(for name: KeyName, _ objects: TokenObjects) throws {
    guard case .web = name.owner else { return }
    let count = try objects.namedPublicKeys().count { $0.name.owner == name.owner }
    guard count < keysPerOrigin else { throw KeyStoreError.tooMany(limit: keysPerOrigin) }
  }

  // MARK: - The session

  /// Runs `body` with a session that works. A token that was taken out and put back, or that has forgotten the login,
  /// is opened once more.
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
    // The module is started anew, too: some see a token that comes back only then.
    modules = nil
  }

  /// Asks for the PIN once, however many tasks wait for it.
  private func logIn() async throws {
    let session = try connect()
    guard try session.flags() & CKF_LOGIN_REQUIRED != 0, !session.isLoggedIn else { return }
    try await login.value(0) {
      try await self.access.login({ try await self.token() }, enter: { try await self.enter($0) })
    }
  }

  private func token() throws -> TokenLogin.Token {
    let session = try connect()
    return TokenLogin.Token(
      label: session.slot.label, serialNumber: session.slot.serialNumber, flags: try session.flags())
  }

  private func enter(_ pin: SecretBytes?) throws { try connect().login(pin) }

  private static func isGone(_ error: any Error) -> Bool {
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
