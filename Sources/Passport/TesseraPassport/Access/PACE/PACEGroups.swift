import TesseraCryptography

/// The groups of a chip's entries for PACE, each created and validated once.
struct PACEGroups {
  private let infos: SecurityInfos
  private var explicit = ValidationCache<any KeyAgreementGroup>()
  /// Whether the integrated mapping is defined, by the parameters of the group.
  private var integrated: [Parameters: Bool] = [:]

  /// The source of a group.
  private enum Parameters: Hashable {
    case standardized(Int)
    case explicit([UInt8])
  }

  init(_ infos: SecurityInfos) { self.infos = infos }

  /// The group of `info`, and the DER of its parameters if the chip states explicit ones.
  ///
  /// A standardised number takes precedence over explicit parameters with the same number.
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
      let explicitInfo = try explicitInfo(of: info)
      parameters = .explicit(explicitInfo.domainParameters)
      explicitParameters = explicitInfo.domainParameters
      group = try explicit.value(of: explicitInfo.domainParameters) { try explicitInfo.group() }
    }
    guard info.pace.agreement.fits(group) else { throw CryptographyError.malformed("domain parameters for PACE") }
    // Without the order, a number in a small subgroup cannot be detected. It would reveal the password.
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

  /// The integrated mapping is not defined for every group. This is determined before the chip receives a command.
  private mutating func allowsIntegratedMapping(_ group: any KeyAgreementGroup, _ parameters: Parameters) -> Bool {
    if let known = integrated[parameters] { return known }
    let isPossible = (try? group.element(ofFieldValue: [2])) != nil
    integrated[parameters] = isPossible
    return isPossible
  }
}
