package import TesseraFleet
internal import TesseraThreads
package import TesseraVerification

/// Country certificates that a test exchanges.
package final class LabTrust: FleetTrustSource {
  private let state: Locked<VersionedTrust?>

  /// - Parameter material: nil if there are none, so that an inspector cannot judge.
  package init(_ material: TrustMaterial?, version: UInt64? = nil) {
    state = Locked(material.map { VersionedTrust(material: $0, version: version) })
  }

  package func use(_ material: TrustMaterial?, version: UInt64? = nil) {
    state.withLock { $0 = material.map { VersionedTrust(material: $0, version: version) } }
  }

  package struct Unavailable: Error {}

  package func current() async throws -> VersionedTrust {
    guard let trust = state.withLock({ $0 }) else { throw Unavailable() }
    return trust
  }
}
