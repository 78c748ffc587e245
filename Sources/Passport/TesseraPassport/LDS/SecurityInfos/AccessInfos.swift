import SwiftASN1
import TesseraCryptography

/// `PACEInfo` (Doc 9303-11, 9.2.1): a supported variant of PACE.
public struct PACEInfo: Sendable, Hashable {
  public let protocolIdentifier: String
  public let version: Int
  /// The number of standardised domain parameters, or of an explicit set in a `PACEDomainParameterInfo`.
  public let parameterIdentifier: Int?
  public let pace: PACEProtocol

  init(_ identifier: String, _ fields: [ASN1Node]) throws {
    guard let pace = PACEProtocol(identifier) else { throw SecurityInfoProblem.unknownProtocol(identifier) }
    guard (1...2).contains(fields.count) else { throw SecurityInfoProblem.malformed(protocolIdentifier: identifier) }
    self.pace = pace
    protocolIdentifier = identifier
    version = try fields[0].integer("version")
    parameterIdentifier = try fields.dropFirst().first?.number("parameterId")
    guard version == 2 else {
      throw SecurityInfoProblem.unknownVersion(protocolIdentifier: identifier, version: version)
    }
  }
}

/// `PACEDomainParameterInfo` (Doc 9303-11, 9.2.2): explicit domain parameters of the chip.
public struct PACEDomainParameterInfo: Sendable, Hashable {
  public let protocolIdentifier: String
  public let parameterIdentifier: Int?
  /// DER `AlgorithmIdentifier`.
  let domainParameters: [UInt8]

  init(_ identifier: String, _ fields: [ASN1Node]) throws {
    guard (1...2).contains(fields.count) else { throw SecurityInfoProblem.malformed(protocolIdentifier: identifier) }
    protocolIdentifier = identifier
    _ = try AlgorithmIdentifier(fields[0])
    domainParameters = Array(fields[0].encodedBytes)
    parameterIdentifier = try fields.dropFirst().first?.number("parameterId")
  }

  /// - Throws: `CryptographyError` for parameters that are not a valid group.
  package func group() throws -> any KeyAgreementGroup {
    try AlgorithmIdentifier(ASN1Node.parse(domainParameters, "domain parameters")).keyAgreementGroup()
  }
}

/// `TerminalAuthenticationInfo` (BSI TR-03110-3, A.1.1.3).
public struct TerminalAuthenticationInfo: Sendable, Hashable {
  public let version: Int
  /// The identifier of EF.CVCA, if it is not the default one.
  public let trustPointFile: UInt16?
  public let trustPointShortIdentifier: UInt8?

  init(_ fields: [ASN1Node]) throws {
    guard (1...2).contains(fields.count) else {
      throw SecurityInfoProblem.malformed(protocolIdentifier: SecurityInfos.Arc.terminalAuthentication)
    }
    version = try fields[0].integer("version")
    let file = try fields.dropFirst().first?.children("FileID").map { try $0.octets("FileID") } ?? []
    guard file.first.map({ $0.count == 2 }) ?? true, file.dropFirst().allSatisfy({ $0.count == 1 && $0[0] < 0x1F })
    else { throw SecurityInfoProblem.malformed(protocolIdentifier: SecurityInfos.Arc.terminalAuthentication) }
    trustPointFile = file.first.map { UInt16($0[0]) << 8 | UInt16($0[1]) }
    trustPointShortIdentifier = file.dropFirst().first?[0]
  }
}

extension ASN1Node {
  /// A small INTEGER that is not negative.
  func number(_ what: String) throws -> Int {
    let value = try integer(what)
    guard value >= 0 else { throw CryptographyError.malformed("\(what) is negative") }
    return value
  }
}
