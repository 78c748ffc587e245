import Cryptography

/// The groups that a chip's entries for PACE mean, each made and checked once.
struct PACEGroups {
  private let infos: SecurityInfos
  private var explicit = CheckedOnce<any KeyAgreementGroup>()
  /// By the number or the explicit parameters.
  private var integrated: [Parameters: Bool] = [:]

  /// Where a group comes from.
  private enum Parameters: Hashable {
    case standardized(Int)
    case explicit([UInt8])
  }

  init(_ infos: SecurityInfos) { self.infos = infos }

  /// The group that `info` means, and the DER of its parameters where the chip spells them out.
  ///
  /// Explicit parameters win over standardised ones of the same number only where the number is not a standardised one.
  ///
  /// - Throws: `CryptographyError`, `GroupElementProblem` or `TooManyParameters` for a group that cannot be used.
  mutating func group(of info: PACEInfo) throws -> (group: any KeyAgreementGroup, explicitParameters: [UInt8]?) {
    let group: any KeyAgreementGroup
    let parameters: Parameters
    var explicitParameters: [UInt8]?
    if let number = info.parameterIdentifier, StandardizedDomainParameters.identifiers.contains(number) {
      parameters = .standardized(number)
      group = try StandardizedDomainParameters.group(number)
    } else {
      let own = try explicitInfo(of: info)
      parameters = .explicit(own.domainParameters)
      explicitParameters = own.domainParameters
      group = try explicit.value(of: own.domainParameters) { try own.group() }
    }
    guard info.pace.agreement.fits(group) else { throw CryptographyError.malformed("domain parameters for PACE") }
    // Without the order a number in a small subgroup cannot be told, which would give the password away.
    if let modular = group as? ModularGroup, !modular.hasKnownOrder {
      throw CryptographyError.malformed("domain parameters for PACE")
    }
    guard info.pace.mapping != .integrated || allowsIntegratedMapping(group, parameters) else {
      throw CryptographyError.unsupported("the integrated mapping with these domain parameters")
    }
    return (group, explicitParameters)
  }

  private func explicitInfo(of info: PACEInfo) throws -> PACEDomainParameterInfo {
    let family = info.protocolIdentifier.split(separator: ".").dropLast().joined(separator: ".")
    let explicit = infos.paceDomainParameters.filter { $0.protocolIdentifier == family }
    let matching =
      info.parameterIdentifier == nil && explicit.count == 1
      ? explicit : explicit.filter { $0.parameterIdentifier == info.parameterIdentifier }
    guard let only = matching.first, matching.count == 1 else {
      throw CryptographyError.malformed("domain parameters for PACE")
    }
    return only
  }

  /// Not defined for every group; found out before the chip is asked.
  private mutating func allowsIntegratedMapping(_ group: any KeyAgreementGroup, _ parameters: Parameters) -> Bool {
    if let known = integrated[parameters] { return known }
    let isPossible = (try? group.element(ofFieldValue: [2])) != nil
    integrated[parameters] = isPossible
    return isPossible
  }
}
