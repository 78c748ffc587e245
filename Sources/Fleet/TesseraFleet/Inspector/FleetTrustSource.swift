package import TesseraVerification

/// What is known of countries, and which version of the fleet's trust store it is.
package struct VersionedTrust: Sendable {
  package var material: TrustMaterial
  /// nil for a store of this machine.
  package var version: UInt64?

  package init(material: TrustMaterial, version: UInt64? = nil) {
    self.material = material
    self.version = version
  }
}

/// Where an inspector takes the country certificates from, before each verdict.
package protocol FleetTrustSource: Sendable {
  /// - Throws: any error if nothing can be trusted at the moment; the desk then begins the read again elsewhere.
  func current() async throws -> VersionedTrust
}
