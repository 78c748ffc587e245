import SwiftASN1
import TesseraCryptography

/// The algorithms of Chip Authentication, as stated in its object identifier `0.4.0.127.0.7.2.2.3.x.y` (Doc 9303-11,
/// 9.2.5).
public struct ChipAuthenticationProtocol: Sendable, Hashable {
  static let arcCount = 11
  public let agreement: KeyAgreement
  public let cipher: KeyDerivation.Cipher

  init(agreement: KeyAgreement, cipher: KeyDerivation.Cipher) {
    self.agreement = agreement
    self.cipher = cipher
  }

  /// nil for an identifier of another family, or an undefined one.
  package init?(_ identifier: String) {
    guard identifier.hasPrefix(SecurityInfos.Arc.chipAuthentication + ".") else { return nil }
    guard let arcs = ObjectIdentifierBytes.arcs(identifier), arcs.count == Self.arcCount,
      let agreement = KeyAgreement(arc: arcs[9]),
      let cipher = KeyDerivation.Cipher(arc: arcs[10])
    else { return nil }
    self.init(agreement: agreement, cipher: cipher)
  }

  /// Dotted.
  public var identifier: String {
    let number =
      switch cipher {
      case .tripleDES: 1
      case .aes128: 2
      case .aes192: 3
      case .aes256: 4
      }
    return "\(SecurityInfos.Arc.chipAuthentication).\(agreement.arc).\(number)"
  }
}

/// The kind of Diffie-Hellman: modulo a prime, or on an elliptic curve.
public enum KeyAgreement: String, Sendable, Hashable {
  case dh = "DH"
  case ecdh = "ECDH"

  init?(arc: Int) {
    switch arc {
    case 1: self = .dh
    case 2: self = .ecdh
    default: return nil
    }
  }

  var arc: Int { self == .dh ? 1 : 2 }

  /// Whether `group` is of this kind.
  func fits(_ group: any KeyAgreementGroup) -> Bool { (group is ModularGroup) == (self == .dh) }
}

/// `ChipAuthenticationInfo` (Doc 9303-11, 9.2.5).
public struct ChipAuthenticationInfo: Sendable, Hashable {
  public let protocolIdentifier: String
  public let version: Int
  public let keyIdentifier: Int?
  public let chipAuthentication: ChipAuthenticationProtocol

  init(_ identifier: String, _ fields: [ASN1Node]) throws {
    guard let known = ChipAuthenticationProtocol(identifier) else {
      throw SecurityInfoProblem.unknownProtocol(identifier)
    }
    guard (1...2).contains(fields.count) else { throw SecurityInfoProblem.malformed(protocolIdentifier: identifier) }
    chipAuthentication = known
    protocolIdentifier = identifier
    version = try fields[0].integer("version")
    keyIdentifier = try fields.dropFirst().first?.number("keyId")
  }
}

/// `ChipAuthenticationPublicKeyInfo` (Doc 9303-11, 9.2.6): a static key of the chip.
public struct ChipAuthenticationPublicKeyInfo: Sendable, Hashable {
  public let protocolIdentifier: String
  public let agreement: KeyAgreement
  public let keyIdentifier: Int?
  /// DER.
  public let subjectPublicKeyInfo: [UInt8]

  init(_ identifier: String, _ arcs: [Int], _ fields: [ASN1Node]) throws {
    guard arcs.count == 10, let agreement = KeyAgreement(arc: arcs[9]) else {
      throw SecurityInfoProblem.unknownProtocol(identifier)
    }
    guard (1...2).contains(fields.count) else { throw SecurityInfoProblem.malformed(protocolIdentifier: identifier) }
    self.agreement = agreement
    protocolIdentifier = identifier
    subjectPublicKeyInfo = Array(fields[0].encodedBytes)
    _ = try fields[0].children("SubjectPublicKeyInfo")
    keyIdentifier = try fields.dropFirst().first?.number("keyId")
  }

  /// - Throws: `CryptographyError`, or `GroupElementProblem` for a key that is not in its group.
  package func publicKey() throws -> KeyAgreementPublicKey {
    let key = try KeyAgreementPublicKey(subjectPublicKeyInfo: ASN1Node.parse(subjectPublicKeyInfo, "chip key"))
    guard agreement.fits(key.group) else { throw CryptographyError.malformed("a chip key for another key agreement") }
    return key
  }
}

/// `ActiveAuthenticationInfo` (Doc 9303-11, 9.2.4): how a chip with an elliptic-curve key signs.
public struct ActiveAuthenticationInfo: Sendable, Hashable {
  public let version: Int
  /// The object identifier of BSI TR-03111's plain signature format, dotted.
  public let signatureAlgorithm: String

  init(_ fields: [ASN1Node]) throws {
    guard fields.count == 2 else {
      throw SecurityInfoProblem.malformed(protocolIdentifier: SecurityInfos.Arc.activeAuthentication)
    }
    version = try fields[0].integer("version")
    signatureAlgorithm = try fields[1].objectIdentifier("signatureAlgorithm")
  }
}
