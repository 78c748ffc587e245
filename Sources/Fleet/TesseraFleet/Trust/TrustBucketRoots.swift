package import TesseraCryptography

/// What everything in the fleet's store of country certificates must lead to.
package enum TrustBucketRoots: Sendable {
  /// The inspector's own country signers, and SHA-256 of such certificates, which the files contain. Whoever writes to the
  /// store cannot bring a country of its own.
  case own([Certificate], fingerprints: Set<[UInt8]> = [])
  /// Those that were published with the files. Whoever can publish, or has the disk of a server, decides what is genuine.
  case published
}

extension TrustVerification.Roots {
  /// - Throws: `TrustBucketError.malformed`.
  init(_ roots: TrustBucketRoots, _ manifest: TrustManifest) throws(TrustBucketError) {
    switch roots {
    case .own(let certificates, let fingerprints): self.init(certificates, fingerprints: fingerprints)
    case .published: try self.init(manifest)
    }
  }
}
