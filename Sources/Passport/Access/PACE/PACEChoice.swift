import Cryptography

/// Which of the chip's offers of PACE is taken, and why.
public struct PACEChoice: Sendable {
  public let pace: PACEProtocol
  public let parameterIdentifier: Int?
  let group: any KeyAgreementGroup
  /// DER `AlgorithmIdentifier` of the group, where the chip spells it out in place of a standardised number.
  var explicitParameters: [UInt8]?
  /// Whether the chip has several sets of domain parameters, so that it must be told which one is meant.
  let isAmbiguous: Bool
  /// One sentence on how this one was chosen among the offers.
  public let reason: String

  /// Whether the public keys do not fit a short command.
  var needsExtendedLength: Bool { Self.longestCommand(group) > Self.longestShortCommand }

  /// Bytes of the longest command: header, length fields, and two layers of tag and length around a public key.
  private static func longestCommand(_ group: any KeyAgreementGroup) -> Int { group.generator.count + 24 }

  private static let longestShortCommand = 261

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
  /// is the one that most chips were tested with; then a group that is known over one that the chip made up.
  ///
  /// Empty where the chip does not offer PACE.
  ///
  /// - Parameter commandLengthLimit: of the reader; numbers of 2048 bits are too long for some.
  /// - Throws: `PACEError.nothingInCommon` where none of the offers can be done, `.needsExtendedLength` where the reader is
  ///   the reason.
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
          refusals.append("\(info.pace.name) needs longer commands than the reader can carry")
          continue
        }
        candidates.append(Candidate(info: info, group: group, explicitParameters: explicitParameters))
      } catch let error as TooManyParameters {
        refusals.append("\(info.pace.name) with parameters \(info.parameterText) was left out: \(error.sentence)")
      } catch {
        refusals.append("\(info.pace.name) with parameters \(info.parameterText) cannot be done")
      }
    }
    refusals += infos.problems.filter(\.concernsPACE).map(\.sentence)
    guard !candidates.isEmpty else { throw isLimitedByReader ? .needsExtendedLength : .nothingInCommon }
    let isAmbiguous = Set(infos.pace.map(\.parameterIdentifier)).count > 1
    let remarks = refusals.map { " \($0.hasSuffix(".") ? $0 : $0 + ".")" }.joined()
    // Equals stay in the order of their identifiers, so that the choice does not depend on the order of the file.
    let ranked = candidates.enumerated().sorted { first, second in
      let ranks = (first.element.rank, second.element.rank)
      return ranks.0 == ranks.1 ? first.offset < second.offset : ranks.1.lexicographicallyPrecedes(ranks.0)
    }
    return ranked.enumerated().map { place, candidate in
      let (info, group, strength) = (candidate.element.info, candidate.element.group, candidate.element.strength)
      let choice =
        switch (ranked.count, place) {
        case (1, _): "the only offer that can be done"
        case (_, 0): "the strongest of \(ranked.count) offers, of \(strength) bits"
        default: "the next of \(ranked.count) offers, of \(strength) bits"
        }
      return PACEChoice(
        pace: info.pace, parameterIdentifier: info.parameterIdentifier, group: group,
        explicitParameters: candidate.element.explicitParameters, isAmbiguous: isAmbiguous,
        reason: "\(info.pace.name) with \(group.name ?? "explicit parameters") is \(choice).\(remarks)")
    }
  }

  /// An offer that can be done.
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
  fileprivate var parameterText: String { parameterIdentifier.map(String.init) ?? "of no number" }
}

extension SecurityInfoProblem {
  fileprivate var concernsPACE: Bool {
    switch self {
    case .malformed(let identifier), .unknownProtocol(let identifier), .unknownVersion(let identifier, _),
      .ambiguous(let identifier, _):
      identifier.hasPrefix(SecurityInfos.Arc.pace)
    // It may be anything.
    case .unnamed: true
    case .repeated: false
    }
  }
}
