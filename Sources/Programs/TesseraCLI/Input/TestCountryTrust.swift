import Tessera
import TesseraThreads

/// The certificates of the test country that issues the documents of the virtual chip.
enum TestCountryTrust {
  /// By the name of the profile; there are a few dozen profiles. Issuing the certificates takes longer than verifying a
  /// dump, and one command verifies thousands.
  private static let issued = Locked<[String: TrustMaterial]>([:])

  /// For what the country issues beside the documents of the virtual chip.
  static func material() throws -> TrustMaterial {
    try material(profile: ChipProfile.bac.name) ?? TrustMaterial()
  }

  /// nil if there is no such profile.
  static func material(profile name: String) throws -> TrustMaterial? {
    guard let profile = ChipProfile(named: name) else { return nil }
    return try issued.withLock { issued in
      if let material = issued[name] { return material }
      let country = try SpecimenDocument(profile: profile).country
      let material = TrustMaterial(testCountry: country, provesAuthenticity: true)
      issued[name] = material
      return material
    }
  }
}
