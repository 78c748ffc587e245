import TesseraCryptography

/// The variant of PACE that was chosen among the chip's offers, and the reason.
package struct PACEChoice: Sendable {
  package let pace: PACEProtocol
  package let parameterIdentifier: Int?
  package let group: any KeyAgreementGroup
  /// DER `AlgorithmIdentifier` of the group, if the chip states explicit parameters instead of a standardised number.
  var explicitParameters: [UInt8]?
  /// Whether the chip has several sets of domain parameters, so that the reader must state which one it uses.
  let isAmbiguous: Bool
  /// The reason for the choice, one sentence.
  package let reason: String

  /// Whether the public keys exceed a short command.
  var needsExtendedLength: Bool { Self.longestCommand(group) > Self.longestShortCommand }

  /// Length of the longest command: header, length fields, and two levels of tag and length around a public key.
  private static func longestCommand(_ group: any KeyAgreementGroup) -> Int { group.generator.count + 24 }

  private static let longestShortCommand = 261

  /// The strongest supported offer; nil if the chip does not offer PACE.
  ///
  /// - Throws: the errors of `ranked`.
  package static func strongest(
    of infos: SecurityInfos, commandLengthLimit: Int? = nil
  ) throws(PACEError) -> PACEChoice? {
    try ranked(infos, commandLengthLimit: commandLengthLimit).first
  }

  /// The supported offers of the chip, strongest first.
  ///
  /// They are ordered by the weaker of cipher and group, which an attacker would choose; then by the mapping, the chip
  /// authentication mapping first, since it also proves the chip's key; then by the cipher and by the group; then the
  /// generic mapping, which is the most widely tested one, before the integrated mapping; then standardised groups
  /// before explicit ones. Empty if the chip does not offer PACE.
  ///
  /// - Parameter commandLengthLimit: of the reader; some readers cannot send numbers of 2048 bits.
  /// - Throws: `PACEError.noSupportedOffer`, or `.needsExtendedLength` if only the reader prevents an offer.
  static func ranked(_ infos: SecurityInfos, commandLengthLimit: Int? = nil) throws(PACEError) -> [PACEChoice] {
    guard infos.offers(SecurityInfos.Arc.pace) else { return [] }
    var refusals: [String] = []
    var candidates: [Candidate] = []
    var isLimitedByReader = false
    var groups = PACEGroups(infos)
    for info in Set(infos.pace).sorted(by: { ($0.protocolIdentifier, $0.number) < ($1.protocolIdentifier, $1.number) })
    {
      do {
        let (group, explicitParameters) = try groups.group(of: info)
        guard commandLengthLimit.map({ $0 >= longestCommand(group) }) ?? true else {
          isLimitedByReader = true
          refusals.append("\(info.pace.name) needs longer commands than the reader supports")
          continue
        }
        candidates.append(Candidate(info: info, group: group, explicitParameters: explicitParameters))
      } catch let error as TooManyParameters {
        refusals.append("\(info.pace.name) with \(info.parameterText) was left out: \(error.sentence)")
      } catch {
        refusals.append("\(info.pace.name) with \(info.parameterText) is not supported")
      }
    }
    refusals += infos.problems.filter(\.concernsPACE).map(\.sentence)
    guard !candidates.isEmpty else { throw isLimitedByReader ? .needsExtendedLength : .noSupportedOffer }
    let isAmbiguous = Set(infos.pace.map(\.parameterIdentifier)).count > 1
    let remarks = refusals.map { " \($0.hasSuffix(".") ? $0 : $0 + ".")" }.joined()
    // Equal offers stay in the order of their identifiers, so that the choice does not depend on the order in the file.
    let ranked = candidates.enumerated().sorted { first, second in
      let ranks = (first.element.rank, second.element.rank)
      return ranks.0 == ranks.1 ? first.offset < second.offset : ranks.1.lexicographicallyPrecedes(ranks.0)
    }
    return ranked.enumerated().map { place, candidate in
      let (info, group, strength) = (candidate.element.info, candidate.element.group, candidate.element.strength)
      let choice =
        switch (ranked.count, place) {
        case (1, _): "the only supported offer"
        case (_, 0): "the strongest of \(ranked.count) offers (\(strength) bits)"
        default: "the next of \(ranked.count) offers (\(strength) bits)"
        }
      return PACEChoice(
        pace: info.pace, parameterIdentifier: info.parameterIdentifier, group: group,
        explicitParameters: candidate.element.explicitParameters, isAmbiguous: isAmbiguous,
        reason: "\(info.pace.name) with \(group.name ?? "explicit parameters") is \(choice).\(remarks)")
    }
  }

  /// A supported offer.
  private struct Candidate {
    let info: PACEInfo
    let group: any KeyAgreementGroup
    let explicitParameters: [UInt8]?

    var strength: Int { min(info.pace.cipher.strength, group.strength) }

    var rank: [Int] {
      [
        strength, info.pace.mapping == .chipAuthentication ? 1 : 0, info.pace.cipher.strength, group.strength,
        info.pace.mapping == .integrated ? 0 : 1, group.name == nil ? 0 : 1, info.pace.agreement == .ecdh ? 1 : 0,
      ]
    }
  }
}

extension PACEInfo {
  fileprivate var number: Int { parameterIdentifier ?? -1 }
  fileprivate var parameterText: String { parameterIdentifier.map { "parameters \($0)" } ?? "unnumbered parameters" }
}

extension SecurityInfoProblem {
  fileprivate var concernsPACE: Bool {
    switch self {
    case .malformed(let identifier), .unknownProtocol(let identifier), .unknownVersion(let identifier, _),
      .ambiguous(let identifier, _):
      identifier.hasPrefix(SecurityInfos.Arc.pace)
    // The entry may be one for PACE.
    case .unnamed: true
    case .repeated: false
    }
  }
}
