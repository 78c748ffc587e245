import Cryptography

/// Which of the chip's offers of PACE is taken, and why.
public struct PACEChoice: Sendable {
  public let pace: PACEProtocol
  public let parameterIdentifier: Int?
  let group: any KeyAgreementGroup
  /// Whether the chip has several sets of domain parameters, so that it must be told which one is meant.
  let isAmbiguous: Bool
  /// One sentence on how this one was chosen among the offers.
  public let reason: String

  /// The strongest offer; nil where the chip does not offer PACE.
  ///
  /// - Throws: `PACEError.nothingInCommon` where none of the offers can be done.
  static func strongest(
    of infos: SecurityInfos, commandLengthLimit: Int? = nil
  ) throws(PACEError) -> PACEChoice? {
    try ranked(infos, commandLengthLimit: commandLengthLimit).first
  }

  /// What the chip offers, strongest first: by the weaker of cipher and group, since an attacker takes that one; then
  /// the mapping that proves the chip's key as well; then by the cipher and by the group; then the generic mapping, which
  /// is the one that most chips were tested with.
  ///
  /// Empty where the chip does not offer PACE.
  ///
  /// - Parameter commandLengthLimit: of the reader; numbers of 2048 bits are too long for some.
  /// - Throws: `PACEError.nothingInCommon` where none of the offers can be done.
  static func ranked(_ infos: SecurityInfos, commandLengthLimit: Int? = nil) throws(PACEError) -> [PACEChoice] {
    guard infos.offers(SecurityInfos.Arc.pace) else { return [] }
    var refusals: [String] = []
    var explicit = CheckedOnce<PACEDomainParameterInfo, any KeyAgreementGroup>()
    var candidates: [(info: PACEInfo, group: any KeyAgreementGroup)] = []
    for info in Set(infos.pace).sorted(by: { ($0.protocolIdentifier, $0.number) < ($1.protocolIdentifier, $1.number) })
    {
      do {
        let group = try Self.group(of: info, infos, &explicit)
        // Header, length fields and two layers of tag and length around the key.
        let longest = group.generator.count + 24
        guard commandLengthLimit.map({ $0 >= longest }) ?? true else {
          refusals.append("\(info.pace.name) needs longer commands than the reader can carry")
          continue
        }
        candidates.append((info, group))
      } catch {
        refusals.append("\(info.pace.name) with parameters \(info.parameterText) cannot be done")
      }
    }
    refusals += infos.problems.filter(\.concernsPACE).map(\.sentence)
    guard !candidates.isEmpty else { throw .nothingInCommon }
    let isAmbiguous = Set(infos.pace.map(\.parameterIdentifier)).count > 1
    let remarks = refusals.map { " \($0.hasSuffix(".") ? $0 : $0 + ".")" }.joined()
    // Equals stay in the order of their identifiers, so that the choice does not depend on the order of the file.
    let ranked = candidates.enumerated().sorted { first, second in
      let ranks = (rank(first.element.info, first.element.group), rank(second.element.info, second.element.group))
      return ranks.0 == ranks.1 ? first.offset < second.offset : ranks.1.lexicographicallyPrecedes(ranks.0)
    }
    return ranked.enumerated().map { place, candidate in
      let (info, group) = candidate.element
      let choice =
        switch (ranked.count, place) {
        case (1, _): "the only offer that can be done"
        case (_, 0): "the strongest of \(ranked.count) offers, of \(strength(info, group)) bits"
        default: "the next of \(ranked.count) offers, of \(strength(info, group)) bits"
        }
      return PACEChoice(
        pace: info.pace, parameterIdentifier: info.parameterIdentifier, group: group, isAmbiguous: isAmbiguous,
        reason: "\(info.pace.name) with \(group.name ?? "explicit parameters") is \(choice).\(remarks)")
    }
  }

  /// Explicit parameters win over standardised ones of the same number only where the number is not a standardised one.
  private static func group(
    of info: PACEInfo, _ infos: SecurityInfos,
    _ checked: inout CheckedOnce<PACEDomainParameterInfo, any KeyAgreementGroup>
  ) throws -> any KeyAgreementGroup {
    let group: any KeyAgreementGroup
    if let number = info.parameterIdentifier, StandardizedDomainParameters.identifiers.contains(number) {
      group = try StandardizedDomainParameters.group(number)
    } else {
      let family = info.protocolIdentifier.split(separator: ".").dropLast().joined(separator: ".")
      let explicit = infos.paceDomainParameters.filter { $0.protocolIdentifier == family }
      let matching =
        info.parameterIdentifier == nil && explicit.count == 1
        ? explicit : explicit.filter { $0.parameterIdentifier == info.parameterIdentifier }
      guard matching.count == 1 else { throw CryptographyError.malformed("domain parameters for PACE") }
      group = try checked.value(of: matching[0]) { try $0.group() }
    }
    guard info.pace.agreement.fits(group) else { throw CryptographyError.malformed("domain parameters for PACE") }
    // Without the order a number in a small subgroup cannot be told, which would give the password away.
    if let modular = group as? ModularGroup, !modular.hasKnownOrder {
      throw CryptographyError.malformed("domain parameters for PACE")
    }
    if info.pace.mapping == .integrated {
      // Not defined for every group; found out before the chip is asked.
      _ = try group.element(ofFieldValue: [2])
    }
    return group
  }

  private static func strength(_ info: PACEInfo, _ group: any KeyAgreementGroup) -> Int {
    min(info.pace.cipher.strength, group.strength)
  }

  private static func rank(_ info: PACEInfo, _ group: any KeyAgreementGroup) -> [Int] {
    [
      strength(info, group), info.pace.mapping == .chipAuthentication ? 1 : 0, info.pace.cipher.strength,
      group.strength,
      info.pace.mapping == .integrated ? 0 : 1, info.pace.agreement == .ecdh ? 1 : 0,
    ]
  }
}

extension PACEInfo {
  fileprivate var number: Int { parameterIdentifier ?? -1 }
  fileprivate var parameterText: String { parameterIdentifier.map(String.init) ?? "of no number" }
}

extension SecurityInfoProblem {
  fileprivate var concernsPACE: Bool {
    switch self {
    case .malformed(let identifier), .unknownProtocol(let identifier), .unknownVersion(let identifier, _),
      .ambiguous(let identifier, _), .tooMany(let identifier):
      identifier.hasPrefix(SecurityInfos.Arc.pace)
    case .repeated: false
    }
  }
}
