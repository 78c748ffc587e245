import TesseraSmartCard

@testable import TesseraCryptography
@testable import TesseraPassport
@testable import TesseraVirtualChip

/// SecurityInfos: EF.CardAccess with the selection of PACE, DG14 with that of Chip Authentication, EF.CardSecurity with
/// its signature. The first byte selects the file.
enum SecurityInfosHarness: Harness {
  static let name = "security-infos"

  static func seeds() throws -> [String: [UInt8]] {
    var seeds: [String: [UInt8]] = [:]
    for name in ["germany-2023", "austria-2023", "dh", "russia-2020", "finland-2023", "hong-kong-2025"] {
      guard let profile = ChipProfile(named: name) else { continue }
      let infos = ChipSecurityInfos(profile)
      let document = try SpecimenDocument(profile: profile)
      seeds[name + "-card-access"] = try infos.cardAccess().map { [0] + $0 }
      seeds[name + "-dg14"] = document.files[.dg14].map { [1] + $0 }
      seeds[name + "-card-security"] = document.files.masterFiles[.cardSecurity].map { [2] + $0 }
    }
    seeds["all-card-access"] = try ChipSecurityInfos(.mechanisms).cardAccess().map { [0] + $0.prefix(4000) }
    return seeds
  }

  static func test(_ input: [UInt8]) throws {
    var parts = Parts(input)
    let infos: SecurityInfos
    switch parts.byte() % 3 {
    case 0:
      infos = try SecurityInfos(parts.all())
      _ = try? PACEChoice.strongest(of: infos)
      _ = try? PACEChoice.strongest(of: infos, commandLengthLimit: 261)
      for info in infos.paceDomainParameters { _ = try? info.group() }
    case 1:
      infos = try DataGroup14(parts.all()).securityInfos
      _ = try? ChipAuthentication.strongest(of: infos).map { ($0.name, $0.key.group.primeBits) }
    default:
      let security = try EFCardSecurity(parts.all())
      _ = security.signatureProblem
      infos = security.securityInfos
      let evidence = PACEChipAuthenticationEvidence(
        protocolIdentifier: SecurityInfos.Arc.paceChipAuthenticationMapping + ".2", parameterIdentifier: 13,
        mappingKey: mappingKey, chipAuthenticationData: [1, 2, 3], isPresent: true)
      _ = evidence.problem(infos)
    }
    for key in infos.chipAuthenticationKeys { _ = try? key.publicKey() }
    _ = infos.problems.map(\.sentence)
    property(infos.entries.count <= 256, "no more entries than the limit")
  }

  /// The generator of brainpoolP256r1.
  private static let mappingKey = [UInt8].digits(
    "048BD2AEB9CB7E57CB2C4B482FFC81B7AFB9DE27E1E3BD23C23A4453BD9ACE3262"
      + "547EF835C3DAC4FD97F8461A14611DC9C27745132DED8E545C1D54C72F046997")
}
