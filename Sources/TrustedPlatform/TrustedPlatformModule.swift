import Cryptography
import Threads

/// One connection to a TPM 2.0, with a thread of its own, since every command blocks.
///
/// The TPM is connected to by the first call and let go after a second without use, with every place in it freed:
/// one without a resource manager serves one program at a time and holds three keys. The key that was used last
/// stays loaded in between, so that the next signature with it costs one command, `TPM2_Sign`. When the TPM was reset
/// or restarted in the meantime, a call connects and loads anew, once.
///
/// A TPM that does not answer holds a call up without a time limit. Without a resource manager other programs can
/// flush what is loaded here and load something else in its place; only signatures with a PIN notice.
///
/// PINs never cross the bus readably: a signature proves the PIN by an HMAC, a new key's PIN travels encrypted, and
/// both keys come from a salt that only the parent key in the TPM can decrypt. Our own copies of a PIN are wiped; the
/// TSS keeps one of a new key's PIN in its context until that is freed, out of our reach.
///
/// The TSS writes its troubles to the standard error; a program that does not want that sets `TSS2_LOG=all+NONE` in
/// its environment before the first use.
public actor TrustedPlatformModule {
  private let interface: TPMInterface
  private let idleTime: Duration
  private var connection: TPMConnection?
  private var lastUse = ContinuousClock.now
  private var idleWatch: Task<Void, Never>?
  private nonisolated let executor = ThreadExecutor(name: "tpm")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - interface: a TCTI configuration such as "device:/dev/tpmrm0" or "swtpm:host=127.0.0.1,port=2321"; nil takes
  ///     the first that is set of TESSERA_TPM2_TCTI, TPM2OPENSSL_TCTI and TPM2TOOLS_TCTI, then device:/dev/tpmrm0. Its
  ///     first word names a library that is loaded into the program, so it must come from somebody who may do that.
  ///   - idleTime: how long the TPM is kept after the last use.
  public init(interface: String? = nil, idleTime: Duration = .seconds(1)) {
    self.interface = TPMInterface(interface)
    self.idleTime = idleTime
  }

  deinit {
    // The connection goes with its last reference, here. An `isolated deinit` would let it go on the actor's thread,
    // but Swift 6.3.1 cannot compile an optimised program that imports an actor with one.
    idleWatch?.cancel()
    executor.stop()
  }

  /// Makes a P-256 key for ECDSA signatures below the storage primary of the owner hierarchy. It cannot leave the TPM
  /// and can do nothing but sign. Wrong PINs count towards the TPM's lockout; a key without a PIN is not subject to it.
  ///
  /// - Parameter pin: 1 to 32 bytes; zero bytes at the end do not count. nil for a key that needs none.
  /// - Throws: `TPMError.emptyPIN`, `.pinTooLong`, `.unavailable`, `.ownerPasswordSet`, `.tpm`.
  public func createSigningKey(pin: SecretBytes?) throws(TPMError) -> TPMKey {
    if let pin { try AuthorizationValue.check(pin) }
    return try perform { (connection) throws(TPMError) in try connection.createSigningKey(pin: pin) }
  }

  /// Signs a digest by ECDSA.
  ///
  /// - Parameters:
  ///   - digest: the SHA-256 digest of the message, 32 bytes.
  ///   - pin: not looked at where the key needs none.
  /// - Returns: `r` and `s`, 32 bytes each, big-endian.
  /// - Throws: `TPMError.digestLength`, `.pinNeeded`, `.emptyPIN`, `.pinTooLong`, `.wrongPIN`, `.lockedOut`,
  ///   `.notThisTPM`, `.unavailable`, `.ownerPasswordSet`, `.malformedAnswer`, `.tpm`.
  public func sign(
    digest: [UInt8], with key: TPMKey, pin: SecretBytes?
  ) throws(TPMError) -> (r: [UInt8], s: [UInt8]) {
    guard digest.count == 32 else { throw .digestLength(digest.count) }
    guard key.needsPIN else {
      return try perform { (connection) throws(TPMError) in try connection.sign(digest: digest, with: key, pin: nil) }
    }
    guard let pin else { throw .pinNeeded }
    try AuthorizationValue.check(pin)
    return try perform { (connection) throws(TPMError) in try connection.sign(digest: digest, with: key, pin: pin) }
  }

  /// Flushes what is loaded and closes the connection, as a second without use does.
  public func release() {
    connection = nil
  }

  /// Runs `operation` with a connection. One that was open before may lead to a TPM that was restarted, or hold a key
  /// that was flushed behind our back: then the operation gets a fresh one.
  private func perform<Result>(
    _ operation: (TPMConnection) throws(TPMError) -> Result
  ) throws(TPMError) -> Result {
    defer { noteUse() }
    let wasOpen = connection != nil
    do {
      return try attempt(operation)
    } catch {
      guard wasOpen, error.isStale else { throw error }
      return try attempt(operation)
    }
  }

  /// Leaves no connection behind that the error says to be unusable.
  private func attempt<Result>(_ operation: (TPMConnection) throws(TPMError) -> Result) throws(TPMError) -> Result {
    let connection = try openConnection()
    do {
      return try operation(connection)
    } catch {
      if error.isStale || error.isOfSoftwareStack { release() }
      throw error
    }
  }

  private func openConnection() throws(TPMError) -> TPMConnection {
    if let connection { return connection }
    let connection = try TPMConnection(interface)
    self.connection = connection
    return connection
  }

  // MARK: - Letting go

  private func noteUse() {
    lastUse = .now
    guard idleWatch == nil, connection != nil else { return }
    idleWatch = Task { [weak self] in
      while let rest = await self?.restOfUse() {
        do { try await Task.sleep(for: rest) } catch { return }
      }
    }
  }

  /// How long the connection is still to be kept; nil when it was let go now.
  private func restOfUse() -> Duration? {
    let rest = ContinuousClock.now.duration(to: lastUse + idleTime)
    if connection != nil, rest > .zero { return rest }
    release()
    idleWatch = nil
    return nil
  }
}

extension TPMError {
  /// The connection is broken, or what was loaded is not there any more: a new connection is worth a try.
  fileprivate var isStale: Bool {
    switch self {
    case .unavailable: true
    case .tpm(let code, _): ResponseCode(code).isStaleObject || ResponseCode(code).isStaleSession
    default: false
    }
  }

  /// An error of a layer above the TPM leaves the TSS's context in a state that takes no more commands.
  fileprivate var isOfSoftwareStack: Bool {
    if case .tpm(let code, _) = self { !ResponseCode(code).isOfTPM } else { false }
  }
}
