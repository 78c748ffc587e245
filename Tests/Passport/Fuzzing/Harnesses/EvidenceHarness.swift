import TesseraSmartCard

@testable import TesseraCryptography
@testable import TesseraPassport
@testable import TesseraVirtualChip

/// The verification of a chip's evidence: Active Authentication with a hostile DG15 and signature, Chip Authentication
/// with a hostile first response, and evidence from the JSON of a dump. The first byte selects one.
enum EvidenceHarness: Harness {
  static let name = "evidence"

  static func seeds() throws -> [String: [UInt8]] {
    let challenge: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    var seeds: [String: [UInt8]] = [:]
    for name in ["china-2018", "hong-kong-2025"] {
      guard let profile = ChipProfile(named: name), let offer = profile.activeAuthentication else { continue }
      let files = try SpecimenDocument(profile: profile).files
      seeds[name] =
        [0] + Parts.piece(files[.dg15] ?? []) + Parts.piece(challenge)
        + Parts.piece(try CardActiveAuthentication(offer: offer).sign(challenge)) + Parts.piece(files[.dg14] ?? [])
    }
    seeds["recovered"] = [1, 0x6A] + [UInt8](repeating: 5, count: 106) + [UInt8](repeating: 9, count: 20) + [0xBC]
    seeds["recovered-total"] = [1, 0x4B, 0xBB, 0xBA] + challenge + [UInt8](repeating: 9, count: 32) + [0x34, 0xCC]
    seeds["answer"] = [2] + .digits("990290008E0800010203040506079000")
    seeds["json"] = [3] + Array(json.utf8)
    return seeds
  }

  static func test(_ input: [UInt8]) throws {
    var parts = Parts(input)
    switch parts.byte() % 4 {
    case 0:
      let group = try DataGroup15(parts.piece())
      let evidence = ActiveAuthenticationEvidence(
        challenge: parts.piece(), signature: parts.piece(), status: .success)
      _ = evidence.evaluate(group.publicKey, (try? DataGroup14(parts.all()))?.securityInfos)
      property(group.signatureLength >= 0, "a length")
    case 1:
      let message = try RecoveredMessage(parts.all())
      _ = try message.covers([1, 2, 3, 4, 5, 6, 7, 8])
    case 2:
      guard let offer else { return }
      let evidence = ChipAuthenticationEvidence(
        protocolIdentifier: offer.chipAuthentication.identifier, keyIdentifier: nil,
        readerPrivateKey: SecretBytes([UInt8](repeating: 5, count: 32)), firstAnswer: parts.all())
      _ = evidence.evaluate(offer)
    default:
      let evidence = try ChipEvidence(json: String(decoding: parts.all(), as: UTF8.self))
      if let text = try evidence.json() {
        property(try ChipEvidence(json: text) == evidence, "evidence is written as it was read")
      }
      if let offer { _ = evidence.chipAuthentication?.evaluate(offer) }
      if let infos { _ = evidence.paceChipAuthentication?.problem(infos) }
    }
  }

  private static let infos: SecurityInfos? = {
    let files = ChipProfile(named: "germany-2023").flatMap { try? SpecimenDocument(profile: $0).files }
    return files?[.dg14].flatMap { try? DataGroup14($0).securityInfos }
  }()
  private static let offer: ChipAuthentication? = infos.flatMap { try? ChipAuthentication.strongest(of: $0) }

  private static let json = """
    {"activeAuthentication":{"challenge":"0102030405060708","signature":"00AA","status":36864},
    "chipAuthentication":{"protocolIdentifier":"0.4.0.127.0.7.2.2.3.2.2","keyIdentifier":1,"readerPrivateKey":"0505",
    "firstAnswer":"990290008E0800010203040506079000"},
    "paceChipAuthentication":{"protocolIdentifier":"0.4.0.127.0.7.2.2.4.6.2","parameterIdentifier":13,
    "mappingKey":"04","chipAuthenticationData":"01","isPresent":true},
    "terminalAuthentication":{"authorities":["UTTESSERA00001"],"chain":[],"outcome":"refused","step":"x","status":25344}}
    """
}
