import TesseraVerification

/// Where a scan takes the country certificates from. They are loaded for each scan, so that an import takes effect in a
/// running service.
public struct TrustMaterialSource: Sendable {
  private let load: @Sendable () throws -> TrustMaterial

  public init(_ load: @escaping @Sendable () throws -> TrustMaterial) { self.load = load }

  /// What the user imported.
  public static let imported = TrustMaterialSource { try TrustStore().load() }

  /// These certificates.
  public static func fixed(_ material: TrustMaterial) -> TrustMaterialSource { TrustMaterialSource { material } }

  func material() throws -> TrustMaterial { try load() }
}
