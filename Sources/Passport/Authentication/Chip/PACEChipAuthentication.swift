import Cryptography
import SmartCard

/// What a chip said in the last step of PACE with the chip authentication mapping, kept so that it can be judged once
/// EF.CardSecurity is there, and again later (Doc 9303-11, 4.4.3.5).
public struct PACEChipAuthenticationEvidence: Sendable, Equatable {
  /// The object identifier of PACE, dotted.
  public let protocolIdentifier: String
  public let parameterIdentifier: Int?
  /// `PK_Map,IC`, the chip's key of the mapping.
  public let mappingKey: [UInt8]
  /// `CA_IC`, decrypted; nil where the chip sent none, or what it sent does not decrypt to a number.
  public let chipAuthenticationData: [UInt8]?
  /// Whether the chip sent anything at all.
  public let isPresent: Bool

  init(
    pace: PACEProtocol, parameterIdentifier: Int?, mappingKey: [UInt8], encryptedData: [UInt8]?, keys: SessionKeys
  ) {
    protocolIdentifier = pace.identifier
    self.parameterIdentifier = parameterIdentifier
    self.mappingKey = mappingKey
    isPresent = encryptedData != nil
    chipAuthenticationData = encryptedData.flatMap { try? Self.decrypt($0, keys) }
  }

  public init(
    protocolIdentifier: String, parameterIdentifier: Int?, mappingKey: [UInt8], chipAuthenticationData: [UInt8]?,
    isPresent: Bool
  ) {
    self.protocolIdentifier = protocolIdentifier
    self.parameterIdentifier = parameterIdentifier
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
  /// Whether the chip knows the private part of a static key: `PK_Map,IC = CA_IC * PK_IC`.
  ///
  /// - Parameter infos: of EF.CardSecurity, whose signature is judged elsewhere.
  public func problem(_ infos: SecurityInfos) -> PACEChipAuthenticationProblem? {
    guard isPresent else { return .dataMissing }
    guard let data = chipAuthenticationData, !data.isEmpty else { return .dataMalformed }
    let keys = infos.chipAuthenticationKeys.filter { $0.agreement == .ecdh }
    // Several keys on one curve are told apart by the number of the domain parameters (Doc 9303-11, 9.2.6).
    let numbered = keys.filter { $0.keyIdentifier == parameterIdentifier && parameterIdentifier != nil }
    let candidates = numbered.isEmpty && keys.count == 1 ? keys : numbered
    guard let info = candidates.first, candidates.count == 1 else { return .keyMissing }
    do {
      let key = try info.publicKey()
      try key.group.validate(mappingKey)
      let product = try key.group.multiply(key.element, by: SecretBytes(data))
      return product == mappingKey ? nil : .keyDiffers
    } catch let error as CryptographyError {
      return .keyUnusable(error.failure.cause)
    } catch {
      // The mapping key is of another group, or the product is no key.
      return .keyDiffers
    }
  }
}
