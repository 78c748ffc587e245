import TesseraCryptography
import TesseraThreads

/// A connection to a TPM 2.0, on its own thread, since every command blocks.
///
/// The first call connects to the TPM. After one second without use, the connection is closed and all slots are freed:
/// a TPM without a resource manager serves one program at a time and has space for three keys. The most recent key
/// stays loaded, so another signature with it costs one command, `TPM2_Sign`. If the TPM was reset in the meantime, the
/// call reconnects once.
///
/// A call waits without limit for a TPM that does not respond. Without a resource manager, other programs can replace
/// the loaded key; only signatures with a PIN detect this.
///
/// PINs never cross the bus in plain: a signature proves the PIN with an HMAC, and the PIN of a new key is encrypted.
/// Only the parent key in the TPM can decrypt the salt of both session keys. This process wipes its copies of PINs,
/// except for the PIN of a new key, which the TSS keeps until its context is freed.
///
/// The TSS logs errors to standard error. Set `TSS2_LOG=all+NONE` in the environment before the first use to prevent
/// it.
package actor TrustedPlatformModule {
  private let interface: TPMInterface
  private let idleTime: Duration
  private var connection: TPMConnection?
  private let clock: any MonotonicClock
  private var lastUse: ContinuousClock.Instant
  private var idleTask: Task<Void, Never>?
  private nonisolated let executor = ThreadExecutor(name: "tpm")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameters:
  ///   - interface: a TCTI configuration such as "device:/dev/tpmrm0" or "swtpm:host=127.0.0.1,port=2321"; nil
  ///     selects the first variable that is set (TESSERA_TPM2_TCTI, TPM2OPENSSL_TCTI, TPM2TOOLS_TCTI), then
  ///     device:/dev/tpmrm0. Its first word names a library to load, so it must come from a trusted source.
  ///   - idleTime: the time from the last use to the end of the connection.
  ///   - clock: measures it.
  package init(
    interface: String? = nil, idleTime: Duration = .seconds(1), clock: any MonotonicClock = ContinuousClock()
  ) {
    self.interface = TPMInterface(interface)
    self.idleTime = idleTime
    self.clock = clock
    lastUse = clock.now
  }

  deinit {
    // Releases the connection on the current thread. An `isolated deinit` would use the thread of the actor, but Swift
    // 6.3.1 cannot compile an optimised program that imports an actor with one.
    idleTask?.cancel()
    executor.stop()
  }

  /// Creates a P-256 key for ECDSA signatures below the storage primary of the owner hierarchy. The key cannot leave
  /// the TPM, and its only use is signing. Wrong PINs count towards the lockout of the TPM, and so does a power cut after
  /// the right one: the TPM cannot tell it from a try that was cut off. Keys without PIN are exempt.
  ///
  /// - Parameter pin: 1 to 32 bytes; zero bytes at the end do not count. nil for a key without PIN.
  /// - Throws: `TPMError.emptyPIN`, `.pinTooLong`, `.unavailable`, `.ownerPasswordSet`, `.tpm`.
  package func createSigningKey(pin: SecretBytes?) throws(TPMError) -> TPMKey {
    if let pin { try AuthorizationValue.check(pin) }
    return try perform { (connection) throws(TPMError) in try connection.createSigningKey(pin: pin) }
  }

  /// Signs a digest with ECDSA.
  ///
  /// - Parameters:
  ///   - digest: the SHA-256 digest of the message, 32 bytes.
  ///   - pin: ignored for a key without PIN.
  /// - Returns: `r` and `s`, 32 bytes each, big-endian.
  /// - Throws: `TPMError.digestLength`, `.pinNeeded`, `.emptyPIN`, `.pinTooLong`, `.wrongPIN`, `.lockedOut`,
  ///   `.notThisTPM`, `.unavailable`, `.ownerPasswordSet`, `.malformedResponse`, `.tpm`.
  package func sign(
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

  private struct Reference: Sendable { weak var module: TrustedPlatformModule? }
  /// Those that have been connected.
  private static let connected = Locked<[Reference]>([])

  /// Closes all connections of this process. A program calls it before it ends: without a resource manager, what is
  /// loaded then stays loaded for good.
  package static func releaseAll() async {
    for reference in connected.withLock({ $0 }) { await reference.module?.release() }
    // Another thread may be about to close one.
    for _ in 0..<200 where TPMConnection.isAnyOpen { try? await Task.sleep(for: .milliseconds(10)) }
  }

  /// Flushes all objects and closes the connection.
  package func release() {
    connection = nil
  }

  /// Runs `operation` with a connection. Retries once with a new connection if the existing one is stale, since the TPM
  /// was restarted or another program flushed the key.
  private func perform<Result>(
    _ operation: (TPMConnection) throws(TPMError) -> Result
  ) throws(TPMError) -> Result {
    defer { recordUse() }
    let wasOpen = connection != nil
    do {
      return try attempt(operation)
    } catch {
      guard wasOpen, error.isStale else { throw error }
      return try attempt(operation)
    }
  }

  /// Runs `operation`, and closes the connection after an error. Without a resource manager, what is loaded when the
  /// process ends, as most programs do after an error, stays loaded for good.
  private func attempt<Result>(_ operation: (TPMConnection) throws(TPMError) -> Result) throws(TPMError) -> Result {
    let connection = try openConnection()
    do {
      return try operation(connection)
    } catch {
      release()
      throw error
    }
  }

  private func openConnection() throws(TPMError) -> TPMConnection {
    if let connection { return connection }
    let connection = try TPMConnection(interface)
    self.connection = connection
    Self.connected.withLock { connected in
      connected.removeAll { $0.module == nil || $0.module === self }
      connected.append(Reference(module: self))
    }
    return connection
  }

  // MARK: - Closing idle connections

  private func recordUse() {
    lastUse = clock.now
    guard idleTask == nil, connection != nil else { return }
    idleTask = Task { [weak self, clock] in
      while let end = await self?.endOfIdleTime() {
        do { try await clock.sleep(until: end, tolerance: nil) } catch { return }
      }
    }
  }

  /// When the connection will be closed without another use; nil after an idle one was closed.
  private func endOfIdleTime() -> ContinuousClock.Instant? {
    let end = lastUse + idleTime
    if connection != nil, clock.now < end { return end }
    release()
    idleTask = nil
    return nil
  }
}

extension TPMError {
  /// Whether the connection is broken or its objects are no longer loaded, so that a new connection can succeed.
  fileprivate var isStale: Bool {
    switch self {
    case .unavailable: true
    case .tpm(let code, _): ResponseCode(code).isStaleObject || ResponseCode(code).isStaleSession
    default: false
    }
  }
}

extension TrustedPlatformModule {
  /// The reason why this user cannot open the device of the TPM, according to the file system. Opens nothing.
  ///
  /// - Parameter interface: as for `init(interface:idleTime:clock:)`.
  /// - Returns: nil if the device is accessible; `.noResponse` for an interface that is not a device, whose state is
  ///   unknown until it is used.
  package static func unavailability(interface: String? = nil) -> TPMError.Unavailability? {
    TPMInterface(interface).unavailability
  }
}
