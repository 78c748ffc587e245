/// Placeholder until the sources are merged.
package enum TrustObject: Sendable, Equatable {
  case masterList([UInt8])
  case certificate([UInt8])
  case revocationList([UInt8])
  case deviationList([UInt8])
}
