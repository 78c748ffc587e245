import Cryptography
import SmartCard

/// Chip Authentication version 1, the reader's side (Doc 9303-11, 6.2): a key agreement with the chip's static key,
/// after which only the chip that has the private part can go on talking.
public struct ChipAuthentication: Sendable {
  public let chipAuthentication: ChipAuthenticationProtocol
  let key: KeyAgreementPublicKey
  /// The number by which the chip knows the key.
  public let keyIdentifier: Int?
  /// Whether the chip must be told which of its keys is meant.
  let isAmbiguous: Bool
  /// Whether the document lists a key only, and the protocol is the one that such documents mean.
  public let isAssumed: Bool

  /// The strongest that the document offers, nil where it offers none.
  ///
  /// - Throws: `ChipAuthenticationProblem` where it offers only what cannot be done.
  public static func strongest(of infos: SecurityInfos) throws(ChipAuthenticationProblem) -> ChipAuthentication? {
    var problem: ChipAuthenticationProblem?
    var best: ChipAuthentication?
    for offer in offers(of: infos) {
      switch offer {
      case .success(let candidate):
        if best.map({ $0.rank.lexicographicallyPrecedes(candidate.rank) }) ?? true { best = candidate }
      case .failure(let reason): problem = problem ?? reason
      }
    }
    if let best { return best }
    if let problem { throw problem }
    let unknown = infos.problems.first { $0.concernsChipAuthentication }
    if let unknown { throw .notUsable(unknown.sentence) }
    return nil
  }

  private static func offers(of infos: SecurityInfos) -> [Result<ChipAuthentication, ChipAuthenticationProblem>] {
    let keys = infos.chipAuthenticationKeys
    var checked = CheckedOnce<KeyAgreementPublicKey>()
    let isAmbiguous = Set(keys.map(\.keyIdentifier)).count > 1
    // The same entry twice is no second offer.
    let protocols = infos.chipAuthentication.reduce(into: [ChipAuthenticationInfo]()) { list, info in
      if !list.contains(info) { list.append(info) }
    }
    if protocols.isEmpty {
      // Documents of the first years have a key and no protocol; they mean 3DES (BSI TR-03110-1, B.1.1).
      let unlisted = infos.problems.contains { $0.concernsChipAuthentication }
      return unlisted
        ? []
        : keys.map { key in
          usable(
            key, ChipAuthenticationProtocol(agreement: key.agreement, cipher: .tripleDES), isAmbiguous: isAmbiguous,
            isAssumed: true, &checked)
        }
    }
    return protocols.map { info in
      // Version 2 belongs to other cards than travel documents: a nonce and a token, and Terminal Authentication first.
      guard info.version == 1 else {
        return .failure(
          .notUsable(
            SecurityInfoProblem.unknownVersion(protocolIdentifier: info.protocolIdentifier, version: info.version)
              .sentence))
      }
      let fitting = keys.filter { $0.agreement == info.chipAuthentication.agreement }
      let numbered = fitting.filter { $0.keyIdentifier == info.keyIdentifier }
      // A document with one key need not number it, or number it in one place only.
      let candidates = Set(numbered.isEmpty && Set(fitting).count == 1 ? fitting : numbered)
      guard let key = candidates.first else { return .failure(.keyMissing(info.keyIdentifier)) }
      guard candidates.count == 1 else { return .failure(.keyAmbiguous(info.keyIdentifier)) }
      return usable(key, info.chipAuthentication, isAmbiguous: isAmbiguous, isAssumed: false, &checked)
    }
  }

  private static func usable(
    _ info: ChipAuthenticationPublicKeyInfo, _ known: ChipAuthenticationProtocol, isAmbiguous: Bool, isAssumed: Bool,
    _ checked: inout CheckedOnce<KeyAgreementPublicKey>
  ) -> Result<ChipAuthentication, ChipAuthenticationProblem> {
    do {
      let key = try checked.value(of: info.subjectPublicKeyInfo) { try info.publicKey() }
      return .success(
        ChipAuthentication(
          chipAuthentication: known, key: key, keyIdentifier: info.keyIdentifier,
          isAmbiguous: isAmbiguous, isAssumed: isAssumed))
    } catch let error as CryptographyError {
      return .failure(.notUsable(error.failure.cause))
    } catch let error as TooManyParameters {
      return .failure(.notUsable("A key of the chip was left out: \(error.sentence)."))
    } catch {
      return .failure(.keyInvalid)
    }
  }

  private var rank: [Int] {
    let cipher = chipAuthentication.cipher.strength
    return [
      min(cipher, key.group.strength), cipher, key.group.strength, chipAuthentication.agreement == .ecdh ? 1 : 0,
    ]
  }

  /// `ECDH AES-128, brainpoolP256r1`.
  public var name: String {
    "\(chipAuthentication.agreement.rawValue) \(chipAuthentication.cipher.name), "
      + (key.group.name ?? "explicit parameters of \(key.group.primeBits) bits")
  }

  /// The keys that follow from this reader's ephemeral key.
  func keys(privateKey: SecretBytes) throws -> SessionKeys {
    try SessionKeys(
      cipher: chipAuthentication.cipher,
      sharedSecret: key.group.sharedSecret(privateKey: privateKey, with: key.element))
  }
}

/// Why Chip Authentication cannot be done although the document lists it.
public enum ChipAuthenticationProblem: Error, Sendable, Equatable {
  /// There is no key for the protocol.
  case keyMissing(Int?)
  /// There are several for it.
  case keyAmbiguous(Int?)
  case notUsable(String)
  /// The key is not in its group: no form that cannot be done, but a key that proves nothing.
  case keyInvalid

  /// One sentence.
  public var sentence: String {
    func text(_ number: Int?) -> String { number.map { " with the number \($0)" } ?? "" }
    return switch self {
    case .keyMissing(let number): "The document lists Chip Authentication and no key\(text(number)) for it."
    case .keyAmbiguous(let number): "The document lists several keys\(text(number)) for one Chip Authentication."
    case .notUsable(let sentence): sentence
    case .keyInvalid: "The chip's key is not in its group."
    }
  }
}

extension SecurityInfoProblem {
  fileprivate var concernsChipAuthentication: Bool {
    switch self {
    case .malformed(let identifier), .unknownProtocol(let identifier), .unknownVersion(let identifier, _):
      identifier.hasPrefix(SecurityInfos.Arc.chipAuthentication + ".")
    // It may be anything.
    case .unnamed: true
    case .ambiguous, .repeated: false
    }
  }
}
