import TesseraCryptography
import TesseraPassport
import TesseraSmartCard

/// One variant of PACE that a chip supports: an entry of EF.CardAccess (Doc 9303-11, 9.2.1).
package struct PACEOffer: Sendable, Equatable {
  package enum Mapping: Sendable, Equatable {
    case generic
    case integrated
    /// Chip Authentication Mapping: Generic Mapping with a proof of the chip's static key.
    case chipAuthentication
  }

  package let mapping: Mapping
  package let cipher: KeyDerivation.Cipher
  package let parameters: AgreementParameters

  package init(_ mapping: Mapping, _ cipher: KeyDerivation.Cipher, _ parameters: AgreementParameters) {
    self.mapping = mapping
    self.cipher = cipher
    self.parameters = parameters
  }

  /// The variant that an entry of EF.CardAccess names; nil without the number of standardised parameters.
  init?(_ info: PACEInfo) {
    guard let number = info.parameterIdentifier, AgreementParameters.standardised.contains(number) else { return nil }
    let mapping: Mapping =
      switch info.pace.mapping {
      case .generic: .generic
      case .integrated: .integrated
      case .chipAuthentication: .chipAuthentication
      }
    self.init(mapping, info.pace.cipher, AgreementParameters(number))
  }

  /// The arc of key agreement and mapping: 1 to 4, and 6.
  private var arc: UInt8 {
    switch (parameters.kind, mapping) {
    case (.modular, .generic), (.modular, .chipAuthentication): 1
    case (.ellipticCurve, .generic): 2
    case (.modular, .integrated): 3
    case (.ellipticCurve, .integrated): 4
    case (.ellipticCurve, .chipAuthentication): 6
    }
  }

  /// The value of the object identifier.
  var objectIdentifier: [UInt8] { [0x04, 0x00, 0x7F, 0x00, 0x07, 0x02, 0x02, 0x04, arc, cipher.suiteNumber] }

  /// For example `ECDH-GM AES-128 brainpoolP256r1`.
  package var description: String {
    let agreement = parameters.kind == .modular ? "DH" : "ECDH"
    let mapping =
      switch mapping {
      case .generic: "GM"
      case .integrated: "IM"
      case .chipAuthentication: "CAM"
      }
    let name = parameters.name + (parameters.encoding == .explicit ? " (explicit)" : "")
    return "\(agreement)-\(mapping) \(cipher.name) \(name)"
  }
}

extension KeyDerivation.Cipher {
  /// The name that profiles are described with.
  package var name: String {
    switch self {
    case .tripleDES: "3DES"
    case .aes128: "AES-128"
    case .aes192: "AES-192"
    case .aes256: "AES-256"
    }
  }
}

extension AgreementParameters {
  /// The common name of the group.
  package var name: String {
    let names = [
      0: "MODP-1024-160", 1: "MODP-2048-224", 2: "MODP-2048-256", 8: "secp192r1", 9: "brainpoolP192r1",
      10: "secp224r1", 11: "brainpoolP224r1", 12: "secp256r1", 13: "brainpoolP256r1", 14: "brainpoolP320r1",
      15: "secp384r1", 16: "brainpoolP384r1", 17: "brainpoolP512r1", 18: "secp521r1",
    ]
    return names[identifier] ?? "\(identifier)"
  }
}
