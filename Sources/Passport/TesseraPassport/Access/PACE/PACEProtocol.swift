import TesseraCryptography

/// The algorithms of PACE, as stated in its object identifier `0.4.0.127.0.7.2.2.4.x.y` (Doc 9303-11, 9.2.3).
public struct PACEProtocol: Sendable, Hashable {
  /// The mapping of the nonce to a generator (Doc 9303-11, 4.4.3.3).
  public enum Mapping: String, Sendable, Hashable {
    case generic = "GM"
    case integrated = "IM"
    /// The generic mapping with a proof of the chip's static key.
    case chipAuthentication = "CAM"
  }

  static let arcCount = 11
  /// Dotted.
  public let identifier: String
  public let agreement: KeyAgreement
  public let mapping: Mapping
  public let cipher: KeyDerivation.Cipher

  /// nil for an identifier of another family, or an undefined one.
  package init?(_ identifier: String) {
    guard identifier.hasPrefix(SecurityInfos.Arc.pace + ".") else { return nil }
    guard let arcs = ObjectIdentifierBytes.arcs(identifier), arcs.count == Self.arcCount,
      let cipher = KeyDerivation.Cipher(arc: arcs[10])
    else { return nil }
    switch arcs[9] {
    case 1: (agreement, mapping) = (.dh, .generic)
    case 2: (agreement, mapping) = (.ecdh, .generic)
    case 3: (agreement, mapping) = (.dh, .integrated)
    case 4: (agreement, mapping) = (.ecdh, .integrated)
    case 6 where cipher != .tripleDES: (agreement, mapping) = (.ecdh, .chipAuthentication)
    default: return nil
    }
    self.identifier = identifier
    self.cipher = cipher
  }

  /// `ECDH-GM AES-128`.
  public var name: String { "\(agreement.rawValue)-\(mapping.rawValue) \(cipher.name)" }

  /// The value bytes of the object identifier.
  var identifierBytes: [UInt8] { ObjectIdentifierBytes.encode(identifier) }
}

/// The encoding of object identifiers in the data objects of commands.
enum ObjectIdentifierBytes {
  /// The arcs of a dotted identifier; nil if one of them is not a number or exceeds `Int`. Without that arc it would be
  /// another identifier.
  static func arcs(_ identifier: String) -> [Int]? {
    let parts = identifier.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let arcs = parts.compactMap { Int(Substring($0)) }
    return arcs.count == parts.count && arcs.allSatisfy { $0 >= 0 } ? arcs : nil
  }

  /// The value bytes (X.690, 8.19) of a dotted identifier; empty for invalid text.
  static func encode(_ identifier: String) -> [UInt8] {
    guard let arcs = arcs(identifier), arcs.count >= 2, arcs[0] <= 2, arcs[1] < 1 << 32 else { return [] }
    return ([arcs[0] * 40 + arcs[1]] + arcs[2...]).flatMap { arc in
      var digits = [UInt8(arc & 0x7F)]
      var rest = arc >> 7
      while rest > 0 {
        digits.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
        rest >>= 7
      }
      return digits
    }
  }
}

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
