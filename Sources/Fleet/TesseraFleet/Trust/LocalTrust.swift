internal import TesseraThreads
package import TesseraVerification

/// The country certificates of this machine's store, read again after each change.
package final class LocalTrust: FleetTrustSource {
  private struct State {
    var identity: TrustStore.Identity?
    var material: TrustMaterial?
  }
  private let store: TrustStore
  private let state = Locked(State())
  private let work = BlockingWork(name: "certificates")

  package init(_ store: TrustStore) { self.store = store }

  /// - Throws: `TrustError.storeDamaged`, `FolderError`.
  package func current() async throws -> VersionedTrust {
    try await work.run { [self] in
      // Before the content: a change that comes between both is found at the next call.
      let identity = try store.identity()
      if let known = state.withLock({ $0.identity == identity ? $0.material : nil }) {
        return VersionedTrust(material: known)
      }
      let material = try store.load()
      state.withLock { $0 = State(identity: identity, material: material) }
      return VersionedTrust(material: material)
    }
  }
}

/// Where an inspector takes the country certificates from.
package enum FleetTrust: FleetTrustSource {
  /// The certificates that were imported at this machine.
  case local(LocalTrust)
  /// Certificates that never change.
  case fixed(TrustMaterial)
  /// The fleet's store.
  case bucket(TrustBucketFollower)

  /// The certificates in a store of this machine.
  package static func local(_ store: TrustStore) -> FleetTrust { .local(LocalTrust(store)) }

  package func current() async throws -> VersionedTrust {
    switch self {
    case .local(let trust): try await trust.current()
    case .fixed(let material): VersionedTrust(material: material)
    case .bucket(let follower): try await follower.current()
    }
  }

  /// What the status of an inspector tells of them.
  package var figures: TrustFigures {
    switch self {
    case .local, .fixed: TrustFigures()
    case .bucket(let follower): follower.figures
    }
  }
}
