import Cryptography
import SmartCard
import SwiftASN1

/// What a chip said in the last step of PACE with the chip authentication mapping, kept so that it can be judged once
/// EF.CardSecurity is there, and again later (Doc 9303-11, 4.4.3.5).
public struct PACEChipAuthenticationEvidence: Sendable, Equatable {
  /// The object identifier of PACE, dotted.
  public let protocolIdentifier: String
  /// The number of the domain parameters of the run.
  public let parameterIdentifier: Int?
  /// DER `AlgorithmIdentifier` of the run's group, where the chip spelled it out; nil where the number is a standardised
  /// one.
  public let explicitParameters: [UInt8]?
  /// `PK_Map,IC`, the chip's key of the mapping.
  public let mappingKey: [UInt8]
  /// `CA_IC`, decrypted; nil where the chip sent none, or what it sent does not decrypt to a number.
  public let chipAuthenticationData: [UInt8]?
  /// Whether the chip sent anything at all.
  public let isPresent: Bool

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

  public init(
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

  /// `A_IC` decrypted, its padding removed; the vector is the encrypted block of ones (4.4.3.5.4).
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

/// Why the mapping does not prove the chip's key.
public enum PACEChipAuthenticationProblem: Error, Sendable, Equatable {
  /// The chip sent no chip authentication data.
  case dataMissing
  /// What it sent does not decrypt to a number.
  case dataMalformed
  /// EF.CardSecurity has no key for the domain parameters of this run.
  case keyMissing
  case keyUnusable(String)
  /// The data do not lead from the chip's static key to its mapping key: another chip.
  case keyDiffers
}

extension PACEChipAuthenticationEvidence {
  /// Whether the chip knows the private part of a static key: `PK_Map,IC = CA_IC * PK_IC`. Every key of PACE's group
  /// may be the one, whatever its number: a key that fits is proof, and documents differ in how they number them.
  ///
  /// - Parameter infos: of EF.CardSecurity, whose signature is judged elsewhere.
  public func problem(_ infos: SecurityInfos) -> PACEChipAuthenticationProblem? {
    guard isPresent else { return .dataMissing }
    guard let data = chipAuthenticationData, !data.isEmpty else { return .dataMalformed }
    guard let group = try? group() else { return .keyMissing }
    var checked = CheckedOnce<KeyAgreementPublicKey>()
    var problem: PACEChipAuthenticationProblem?
    for info in infos.chipAuthenticationKeys where info.agreement == .ecdh {
      do {
        let key = try checked.value(of: info.subjectPublicKeyInfo) { try info.publicKey() }
        // EF.CardAccess, which named PACE's group, is not signed: a proof in another one than the key's is none.
        guard key.group.isSame(as: group) else { continue }
        problem = .keyDiffers
        try group.validate(mappingKey)
        if try group.multiply(key.element, by: SecretBytes(data)) == mappingKey { return nil }
      } catch let error as CryptographyError {
        if problem == nil { problem = .keyUnusable(error.failure.cause) }
      } catch let error as TooManyParameters {
        return problem ?? .keyUnusable("A key in EF.CardSecurity was left out: \(error.sentence).")
      } catch {
        // The key or the mapping key is of another group, or the product is no key.
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
