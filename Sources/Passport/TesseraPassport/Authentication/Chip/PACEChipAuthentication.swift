import SwiftASN1
import TesseraCryptography
import TesseraSmartCard

/// The evidence of the chip authentication mapping: the chip's data from the last step of PACE. It is stored to be
/// verified when EF.CardSecurity is available, and again later (Doc 9303-11, 4.4.3.5).
package struct PACEChipAuthenticationEvidence: Sendable, Equatable {
  /// The object identifier of PACE, dotted.
  package let protocolIdentifier: String
  /// The number of the domain parameters of the run.
  package let parameterIdentifier: Int?
  /// DER `AlgorithmIdentifier` of the run's group, if the chip states explicit parameters; nil for a standardised
  /// number.
  package let explicitParameters: [UInt8]?
  /// `PK_Map,IC`, the chip's key of the mapping.
  package let mappingKey: [UInt8]
  /// `CA_IC`, decrypted; nil if the chip sent none, or if the data do not decrypt to a number.
  package let chipAuthenticationData: [UInt8]?
  /// Whether the chip sent data.
  package let isPresent: Bool

  init(
    pace: PACEProtocol, parameterIdentifier: Int?, explicitParameters: [UInt8]? = nil, mappingKey: [UInt8],
    encryptedData: [UInt8]?, keys: SessionKeys
  ) {
    protocolIdentifier = pace.identifier
    self.parameterIdentifier = parameterIdentifier
    self.explicitParameters = explicitParameters
    self.mappingKey = mappingKey
    isPresent = encryptedData != nil
    chipAuthenticationData = encryptedData.flatMap { try? Self.decrypt($0, keys) }
  }

  package init(
    protocolIdentifier: String, parameterIdentifier: Int?, explicitParameters: [UInt8]? = nil, mappingKey: [UInt8],
    chipAuthenticationData: [UInt8]?, isPresent: Bool
  ) {
    self.protocolIdentifier = protocolIdentifier
    self.parameterIdentifier = parameterIdentifier
    self.explicitParameters = explicitParameters
    self.mappingKey = mappingKey
    self.chipAuthenticationData = chipAuthenticationData
    self.isPresent = isPresent
  }

  /// Decrypts `A_IC` and removes its padding. The initialisation vector is an encrypted block of ones (Doc 9303-11,
  /// 4.4.3.5.4).
  static func decrypt(_ encrypted: [UInt8], _ keys: SessionKeys) throws -> [UInt8]? {
    guard !encrypted.isEmpty, encrypted.count.isMultiple(of: AES.blockSize), keys.cipher != .tripleDES else {
      return nil
    }
    let cipher = try AES(key: keys.encryption)
    let vector = try cipher.encrypt(
      [UInt8](repeating: 0xFF, count: AES.blockSize), initialisationVector: AES.zeroVector)
    return Padding.unpad(try cipher.decrypt(encrypted, initialisationVector: vector))
  }
}

/// The reason why the mapping does not prove the chip's key.
package enum PACEChipAuthenticationProblem: Error, Sendable, Equatable {
  /// The chip sent no chip authentication data.
  case dataMissing
  /// The data do not decrypt to a number.
  case dataMalformed
  /// EF.CardSecurity has no key for the domain parameters of this run.
  case keyMissing
  case keyUnusable(String)
  /// The data do not relate the chip's static key to its mapping key: it is another chip.
  case keyDiffers
}

extension PACEChipAuthenticationEvidence {
  /// The reason why the chip has not proved that it knows the private part of a static key (`PK_Map,IC = CA_IC *
  /// PK_IC`); nil if it has. Every key in PACE's group is tried, whatever its number: a key that matches is proof, and
  /// documents number the keys differently.
  ///
  /// - Parameter infos: of EF.CardSecurity, whose signature is verified elsewhere.
  package func problem(_ infos: SecurityInfos) -> PACEChipAuthenticationProblem? {
    guard isPresent else { return .dataMissing }
    guard let data = chipAuthenticationData, !data.isEmpty else { return .dataMalformed }
    guard let group = try? group() else { return .keyMissing }
    var checked = ValidationCache<KeyAgreementPublicKey>()
    var problem: PACEChipAuthenticationProblem?
    for info in infos.chipAuthenticationKeys where info.agreement == .ecdh {
      do {
        let key = try checked.value(of: info.subjectPublicKeyInfo) { try info.publicKey() }
        // EF.CardAccess, which states PACE's group, is not signed. A proof in another group than the key's does not
        // count.
        guard key.group.isSame(as: group) else { continue }
        problem = .keyDiffers
        try group.validate(mappingKey)
        if try group.multiply(key.element, by: SecretBytes(data)) == mappingKey { return nil }
      } catch let error as CryptographyError {
        if problem == nil { problem = .keyUnusable(error.failure.cause) }
      } catch let error as TooManyParameters {
        return problem ?? .keyUnusable("A key in EF.CardSecurity was left out: \(error.sentence).")
      } catch {
        // The key or the mapping key is in another group, or the product is not a key.
        problem = .keyDiffers
      }
    }
    return problem ?? .keyMissing
  }

  /// The group in which PACE ran.
  private func group() throws -> any KeyAgreementGroup {
    if let explicitParameters {
      return try AlgorithmIdentifier(ASN1Node.parse(explicitParameters, "domain parameters")).keyAgreementGroup()
    }
    guard let parameterIdentifier else { throw CryptographyError.malformed("domain parameters are missing") }
    return try StandardizedDomainParameters.group(parameterIdentifier)
  }
}
