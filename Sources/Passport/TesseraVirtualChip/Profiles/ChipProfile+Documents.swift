import TesseraCryptography

/// Profiles modelled on real documents: their algorithms and limits only. Holder and issuer are invented.
extension ChipProfile {
  private static func document(
    _ name: String, _ title: String, pace: [PACEOffer] = [], basicAccess: Bool = true,
    chipAuthentication: [ChipAuthenticationOffer] = [], activeAuthentication: ActiveAuthenticationOffer? = nil,
    responseLimit: Int = 256, ldsVersion: String = "0108", isCard: Bool = false
  ) -> ChipProfile {
    var profile = ChipProfile(
      name: name, summary: "", requiresBasicAccessControl: basicAccess, responseLimit: responseLimit)
    profile.pace = pace
    profile.cardAccessNumber = pace.isEmpty ? nil : specimenCardAccessNumber
    profile.chipAuthentication = chipAuthentication
    profile.activeAuthentication = activeAuthentication
    profile.announcesChaining = true
    profile.ldsVersion = ldsVersion
    profile.isCard = isCard
    profile.summary =
      "\(title): \(profile.accessDescription); \(profile.authenticityDescription)"
      + (responseLimit > 256 ? "; extended length" : "")
    return profile
  }

  /// The card access number of every specimen with PACE.
  public static let specimenCardAccessNumber = "264718"

  /// The access control mechanisms of the chip.
  package var access: [String] {
    pace.map { "PACE \($0.description)" } + (requiresBasicAccessControl ? ["BAC"] : [])
  }

  /// The mechanisms that prove the authenticity of the chip.
  package var authenticity: [String] {
    pace.filter { $0.mapping == .chipAuthentication }.map { "CAM \($0.cipher.name) \($0.parameters.name)" }
      + chipAuthentication.map(\.description) + (activeAuthentication.map { [$0.description] } ?? [])
  }

  private var accessDescription: String { access.first ?? "no access control" }
  private var authenticityDescription: String {
    authenticity.isEmpty ? "no proof of the chip" : authenticity.joined(separator: " and ")
  }

  /// The profiles modelled on real documents, one for each combination of mechanisms in circulation.
  public static let documents: [ChipProfile] = [
    document(
      "austria-2023", "passport after Austria's", pace: [PACEOffer(.generic, .aes128, brainpool256)],
      chipAuthentication: [ChipAuthenticationOffer(.aes128, brainpool256.explicit)], responseLimit: 4096,
      ldsVersion: "0107"),
    document(
      "canada-2023", "passport after Canada's", pace: [PACEOffer(.generic, .aes128, secp384)],
      chipAuthentication: [ChipAuthenticationOffer(.aes128, secp384.explicit)]),
    document(
      "china-2018", "passport after China's",
      activeAuthentication: .rsa(bits: 1024, .sha1, trailer: .implicit), ldsVersion: "0107"),
    finland("finland-2023", "passport after Finland's", isCard: false),
    finland("finland-id-2023", "identity card after Finland's", isCard: true),
    document(
      "france-2017", "passport after France's", pace: [PACEOffer(.generic, .aes256, secp256)],
      chipAuthentication: [ChipAuthenticationOffer(.tripleDES, secp256.explicit)], responseLimit: 1024,
      ldsVersion: "0107"),
    document(
      "france-id-2024", "identity card after France's",
      pace: [PACEOffer(.generic, .aes256, brainpool256), PACEOffer(.integrated, .aes256, brainpool256)],
      basicAccess: false, chipAuthentication: [ChipAuthenticationOffer(.aes256, brainpool256.explicit)],
      responseLimit: 4096, isCard: true),
    document(
      "germany-2023", "passport after Germany's",
      pace: [PACEOffer(.generic, .aes128, brainpool256), PACEOffer(.chipAuthentication, .aes128, brainpool256)],
      chipAuthentication: [ChipAuthenticationOffer(.aes128, brainpool256.explicit)],
      responseLimit: largestResponse),
    document(
      "hong-kong-2025", "passport after Hong Kong's", pace: [PACEOffer(.generic, .aes256, brainpool256)],
      activeAuthentication: .ecdsa(brainpool256.explicit, .sha256), responseLimit: 4096),
    document(
      "malaysia-2023", "passport after Malaysia's",
      chipAuthentication: [ChipAuthenticationOffer(.tripleDES, brainpool256.explicit)], responseLimit: 2048,
      ldsVersion: "0107"),
    document(
      "netherlands-2025", "passport after the Netherlands'",
      pace: [PACEOffer(.generic, .aes256, AgreementParameters(14))],
      chipAuthentication: [ChipAuthenticationOffer(.aes256, AgreementParameters(17, .explicit))],
      responseLimit: 8192),
    document(
      "new-zealand-2017", "passport after New Zealand's", pace: [PACEOffer(.generic, .tripleDES, brainpool256)],
      activeAuthentication: .rsa(bits: 1024, .sha1, trailer: .implicit), ldsVersion: "0107"),
    document(
      "russia-2020", "passport after Russia's",
      chipAuthentication: [ChipAuthenticationOffer(.tripleDES, AgreementParameters(8, .explicit), hasInfo: false)],
      responseLimit: 2048, ldsVersion: "0107"),
    document(
      "singapore-2023", "passport after Singapore's", pace: [PACEOffer(.generic, .aes256, brainpool256)],
      responseLimit: 4096),
    document(
      "taiwan-2024", "passport after Taiwan's", pace: [PACEOffer(.generic, .aes256, secp256)], responseLimit: 4096),
    document(
      "united-kingdom-2021", "passport after the United Kingdom's", pace: [PACEOffer(.generic, .aes256, secp256)],
      chipAuthentication: [ChipAuthenticationOffer(.aes256, secp256.explicit)], responseLimit: 4096),
    document("united-states-2021", "passport after the United States'", ldsVersion: "0107"),
    document(
      "dh", "document with Diffie-Hellman in prime fields",
      pace: [
        PACEOffer(.generic, .aes128, AgreementParameters(0)), PACEOffer(.integrated, .aes128, AgreementParameters(0)),
        PACEOffer(.generic, .aes256, AgreementParameters(2)), PACEOffer(.integrated, .aes256, AgreementParameters(2)),
      ], chipAuthentication: [ChipAuthenticationOffer(.aes128, AgreementParameters(2, .explicit))],
      responseLimit: 4096),
  ]

  private static func finland(_ name: String, _ title: String, isCard: Bool) -> ChipProfile {
    let parameters = AgreementParameters(16)
    return document(
      name, title,
      pace: [PACEOffer(.generic, .aes256, parameters), PACEOffer(.chipAuthentication, .aes256, parameters)],
      basicAccess: !isCard, responseLimit: 4096, isCard: isCard)
  }

  private static let secp256 = AgreementParameters(12)
  private static let brainpool256 = AgreementParameters(13)
  private static let secp384 = AgreementParameters(15)
}

extension AgreementParameters {
  /// The same group with explicit parameters.
  var explicit: AgreementParameters { AgreementParameters(identifier, .explicit) }
}
