package import TesseraVerification

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
