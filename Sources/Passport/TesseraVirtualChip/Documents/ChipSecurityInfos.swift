import TesseraCryptography
import TesseraSmartCard

/// The `SecurityInfos` of a profile (Doc 9303-11, 9.2; BSI TR-03110-3, A.1).
struct ChipSecurityInfos {
  private let profile: ChipProfile

  init(_ profile: ChipProfile) { self.profile = profile }

  /// Arcs below `0.4.0.127.0.7.2.2`.
  private static func arc(_ arcs: UInt8...) -> [UInt8] {
    DERBytes.objectIdentifier([0x04, 0x00, 0x7F, 0x00, 0x07, 0x02, 0x02] + arcs)
  }

  /// The content of EF.CardAccess; nil for a chip without PACE.
  func cardAccess() throws -> [UInt8]? {
    profile.pace.isEmpty ? nil : DERBytes.set(try paceInfos(profile.pace))
  }

  private func paceInfos(_ offers: [PACEOffer]) throws -> [[UInt8]] {
    try offers.flatMap { offer in
      let identifier = DERBytes.integer(offer.parameterIdentifier)
      let info = DERBytes.sequence(
        DERBytes.objectIdentifier(offer.objectIdentifier), DERBytes.integer(2), identifier)
      guard offer.parameters.encoding == .explicit else { return [info] }
      // PACEDomainParameterInfo: the identifier without its last arc.
      return [
        info,
        DERBytes.sequence(
          DERBytes.objectIdentifier(offer.objectIdentifier.dropLast()), try offer.parameters.algorithm(), identifier),
      ]
    }.uniqued()
  }

  /// The unsigned content of EF.CardSecurity; nil for a chip without Chip Authentication Mapping.
  func cardSecurity() throws -> [UInt8]? {
    let offers = profile.pace.filter { $0.mapping == .chipAuthentication }
    guard !offers.isEmpty else { return nil }
    let keys = try offers.map { offer in
      let exponent = try SpecimenKeys.mapping(offer.parameters, isClone: false)
      let publicKey = try offer.parameters.group().publicKey(of: exponent)
      return DERBytes.sequence(
        Self.arc(0x01, 0x02), try offer.parameters.publicKeyInfo(publicKey),
        DERBytes.integer(offer.parameterIdentifier))
    }.uniqued()
    return DERBytes.set(try paceInfos(profile.pace) + keys)
  }

  /// DG14; nil if it would be empty.
  func dataGroup14() throws -> [UInt8]? {
    var infos = try paceInfos(
      profile.fault == .otherParametersInDG14
        ? [PACEOffer(.generic, .aes256, AgreementParameters(16))] : profile.pace)
    for offer in profile.chipAuthentication {
      let identifier = offer.keyIdentifier.map { DERBytes.integer($0) } ?? []
      let publicKey = try offer.parameters.group().publicKey(
        of: SpecimenKeys.chipAuthentication(offer, isClone: false))
      if offer.hasInfo {
        infos.append(
          DERBytes.sequence(
            DERBytes.objectIdentifier(offer.objectIdentifier), DERBytes.integer(1), identifier))
      }
      infos.append(
        DERBytes.sequence(
          Self.arc(0x01, offer.parameters.kind == .modular ? 1 : 2), try offer.parameters.publicKeyInfo(publicKey),
          identifier))
    }
    if case .ecdsa(_, let hash, _) = profile.activeAuthentication {
      // ActiveAuthenticationInfo (Doc 9303-11, 9.2.6) with ecdsa-plain-signatures of BSI TR-03111.
      infos.append(
        DERBytes.sequence(
          DERBytes.objectIdentifier([0x67, 0x81, 0x08, 0x01, 0x01, 0x05]), DERBytes.integer(1),
          DERBytes.objectIdentifier([0x04, 0x00, 0x7F, 0x00, 0x07, 0x01, 0x01, 0x04, 0x01, hash.plainSignatureArc])))
    }
    if profile.supportsTerminalAuthentication { infos.append(DERBytes.sequence(Self.arc(0x02), DERBytes.integer(1))) }
    return infos.isEmpty ? nil : BERTLV.encode(0x6E, DERBytes.set(infos))
  }

  /// DG15; nil for a chip without Active Authentication.
  func dataGroup15() throws -> [UInt8]? {
    switch profile.activeAuthentication {
    case nil: return nil
    case .rsa(let bits, _, _, _): return BERTLV.encode(0x6F, try SpecimenKeys.rsa(bits: bits).publicKeyInfo)
    case .ecdsa(let parameters, _, _):
      let publicKey = try parameters.group().publicKey(
        of: SpecimenKeys.activeAuthentication(parameters, isClone: false))
      return BERTLV.encode(0x6F, try parameters.publicKeyInfo(publicKey))
    }
  }

  /// EF.ATR/INFO (Doc 9303-10, 3.11.3): card capabilities, and the longest command and response APDU.
  func information() -> [UInt8] {
    var content = BERTLV.encode(0x47, Chip.capabilities(of: profile))
    if profile.announcesExtendedLength {
      let response = profile.responseLimit + 2
      content += BERTLV.encode(
        0x7F66,
        [0x02, 0x02, 0xFF, 0xFF, 0x02, 0x02]
          + [UInt8(truncatingIfNeeded: response >> 8), UInt8(truncatingIfNeeded: response)])
    }
    return content
  }

  /// EF.DIR (Doc 9303-10, 3.11.1).
  func directory() -> [UInt8] {
    BERTLV.encode(0x61, BERTLV.encode(0x4F, [0xA0, 0x00, 0x00, 0x02, 0x47, 0x10, 0x01]))
  }
}

extension PACEOffer {
  /// The parameter identifier in PACEInfo. Explicit parameters have one beyond the standardised numbers
  /// (BSI TR-03110-3, A.2.1.1).
  var parameterIdentifier: Int { parameters.encoding == .explicit ? 32 + parameters.identifier : parameters.identifier }
}

extension HashAlgorithm {
  /// The last arc of `ecdsa-plain-SHA…` (BSI TR-03111, 5.2.1.1).
  fileprivate var plainSignatureArc: UInt8 {
    switch self {
    case .sha1: 1
    case .sha224: 2
    case .sha256: 3
    case .sha384: 4
    case .sha512: 5
    }
  }
}

extension Sequence where Element: Hashable {
  /// Without repetitions, in the same order.
  fileprivate func uniqued() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
