import Cryptography
import DurableFiles
import Threads

/// The keys that are open in this process, each while it is used. A person is asked once, and not by every task that
/// waits for the key.
struct OpenKeys: Sendable {
  /// One content of a key's file: a key that takes another's place is another one.
  struct Place: Hashable, Sendable {
    let name: KeyName
    let identity: FileIdentity
  }
  private let keys = KeptWhileUsed<Place, SigningKey>()

  /// The open key, or the one that `open` opens.
  func key(_ place: Place, open: @escaping @Sendable () async throws -> SigningKey) async throws -> SigningKey {
    try await keys.value(place, get: open)
  }

  func forget(_ name: KeyName) { keys.forget { $0.name == name } }
}
