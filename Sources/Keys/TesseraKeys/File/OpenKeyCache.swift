import TesseraCryptography
import TesseraDurableFiles
import TesseraThreads

/// The decrypted keys of this process, each until one second after its last use. Concurrent tasks open a key once, so
/// the user sees one prompt.
struct OpenKeyCache: Sendable {
  /// One version of a key: a new file under the same name is another key.
  struct KeyVersion: Hashable, Sendable {
    let name: KeyName
    let identity: FileIdentity
  }
  private let keys: ExpiringCache<KeyVersion, SigningKey>

  init(clock: any MonotonicClock = ContinuousClock()) { keys = ExpiringCache(clock: clock) }

  /// The key if it is open; otherwise nil.
  func openKey(_ version: KeyVersion) -> SigningKey? { keys.cached(version) }

  /// The open key; calls `open` if it is not open.
  func key(_ version: KeyVersion, open: @escaping @Sendable () async throws -> SigningKey) async throws -> SigningKey {
    try await keys.value(version, get: open)
  }

  func remove(_ name: KeyName) { keys.remove { $0.name == name } }
}
