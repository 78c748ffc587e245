import TesseraCryptography
import TesseraSmartCard

/// Chip Authentication version 1 on the reader's side (Doc 9303-11, 6.2): a key agreement with the chip's static key.
/// Afterwards only the chip that has the private key can continue the session.
package struct ChipAuthentication: Sendable {
  package let chipAuthentication: ChipAuthenticationProtocol
  package let key: KeyAgreementPublicKey
  /// The chip's number for the key.
  package let keyIdentifier: Int?
  /// Whether the chip has several keys, so that the reader must state which one it uses.
  let isAmbiguous: Bool
  /// Whether the document lists only a key, so that the protocol is assumed.
  package let isAssumed: Bool

  /// The strongest supported offer of the document; nil if it offers none.
  ///
  /// - Throws: `ChipAuthenticationProblem` if no offer is supported.
  package static func strongest(of infos: SecurityInfos) throws(ChipAuthenticationProblem) -> ChipAuthentication? {
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
    let unknown = infos.problems.first { $0.concernsChipAuthentication || $0.concernsChipKey }
    if let unknown { throw .notUsable(unknown.sentence) }
    return nil
  }

  private static func offers(of infos: SecurityInfos) -> [Result<ChipAuthentication, ChipAuthenticationProblem>] {
    let keys = infos.chipAuthenticationKeys
    var checked = ValidationCache<KeyAgreementPublicKey>()
    let isAmbiguous = Set(keys.map(\.keyIdentifier)).count > 1
    // Ignores repeated entries.
    let protocols = infos.chipAuthentication.reduce(into: [ChipAuthenticationInfo]()) { list, info in
      if !list.contains(info) { list.append(info) }
    }
    if protocols.isEmpty {
      // Documents of the first years list a key without a protocol; they mean 3DES (BSI TR-03110-1, B.1.1).
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
      // Version 2 is for other cards: it has a nonce and a token, and follows Terminal Authentication.
      guard info.version == 1 else {
        return .failure(
          .notUsable(
            SecurityInfoProblem.unknownVersion(protocolIdentifier: info.protocolIdentifier, version: info.version)
              .sentence))
      }
      let fitting = keys.filter { $0.agreement == info.chipAuthentication.agreement }
      let numbered = fitting.filter { $0.keyIdentifier == info.keyIdentifier }
      // A document with one key may omit its number, or state it in one place only.
      let candidates = Set(numbered.isEmpty && Set(fitting).count == 1 ? fitting : numbered)
      guard let key = candidates.first else { return .failure(.keyMissing(info.keyIdentifier)) }
      guard candidates.count == 1 else { return .failure(.keyAmbiguous(info.keyIdentifier)) }
      return usable(key, info.chipAuthentication, isAmbiguous: isAmbiguous, isAssumed: false, &checked)
    }
  }

  private static func usable(
    _ info: ChipAuthenticationPublicKeyInfo, _ known: ChipAuthenticationProtocol, isAmbiguous: Bool, isAssumed: Bool,
    _ checked: inout ValidationCache<KeyAgreementPublicKey>
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
  package var name: String {
    "\(chipAuthentication.agreement.rawValue) \(chipAuthentication.cipher.name), "
      + (key.group.name ?? "explicit parameters of \(key.group.primeBits) bits")
  }

  /// An ephemeral key pair of the reader's side, and the session keys that follow from it.
  package struct Agreement {
    package let privateKey: SecretBytes
    package let publicKey: [UInt8]
    package let keys: SessionKeys
  }

  /// - Parameter privateKey: the ephemeral private key; nil to make one.
  /// - Throws: `GroupElementProblem` if the order of the chip's key or generator is too small for a secret agreement.
  package func agreement(privateKey: SecretBytes? = nil) throws -> Agreement {
    let group = key.group
    let (privateKey, publicKey) =
      try privateKey.map { ($0, try group.multiply(group.generator, by: $0)) } ?? group.makeKeyPair(group.generator)
    return Agreement(privateKey: privateKey, publicKey: publicKey, keys: try keys(privateKey: privateKey))
  }

  /// The session keys that follow from this reader's ephemeral private key.
  func keys(privateKey: SecretBytes) throws -> SessionKeys {
    try SessionKeys(
      cipher: chipAuthentication.cipher,
      sharedSecret: key.group.sharedSecret(privateKey: privateKey, with: key.element))
  }
}

extension LogicalDataStructure {
  /// The strongest supported offer of Chip Authentication in DG14; nil if there is none.
  package var chipAuthentication: ChipAuthentication? {
    (try? dataGroup14?.get()).flatMap { try? ChipAuthentication.strongest(of: $0.securityInfos) }
  }
}

/// The reason why Chip Authentication cannot run although the document lists it.
package enum ChipAuthenticationProblem: Error, Sendable, Equatable {
  /// The document has no key for the protocol.
  case keyMissing(Int?)
  /// The document has several keys for the protocol.
  case keyAmbiguous(Int?)
  case notUsable(String)
  /// The key is not in its group. This is not an unsupported variant, but a key that proves nothing.
  case keyInvalid

  /// A description as a sentence.
  package var sentence: String {
    func text(_ number: Int?) -> String { number.map { " with the number \($0)" } ?? "" }
    return switch self {
    case .keyMissing(let number): "The document lists Chip Authentication, but no key\(text(number)) for it."
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
    // The entry may be one for Chip Authentication.
    case .unnamed: true
    case .ambiguous, .repeated: false
    }
  }

  fileprivate var concernsChipKey: Bool {
    switch self {
    case .malformed(let identifier), .unknownProtocol(let identifier):
      identifier.hasPrefix(SecurityInfos.Arc.publicKey + ".")
    case .unknownVersion, .unnamed, .ambiguous, .repeated: false
    }
  }
}

/// The evidence of Chip Authentication: the chip's first response under the new keys. Anyone who trusts the reader can
/// verify it again. It proves nothing to others, since the reader's private key suffices to create such a response.
package struct ChipAuthenticationEvidence: Sendable, Equatable {
  /// The object identifier of the protocol, dotted.
  package let protocolIdentifier: String
  package let keyIdentifier: Int?
  /// This reader's ephemeral private key of the run.
  package let readerPrivateKey: SecretBytes
  /// The first protected response under the new keys as received, with its status word; nil if there was none.
  package internal(set) var firstAnswer: [UInt8]?
  /// The chip's status word if it refused the protocol.
  package let refusal: StatusWord?

  package init(
    protocolIdentifier: String, keyIdentifier: Int?, readerPrivateKey: SecretBytes, firstAnswer: [UInt8]? = nil,
    refusal: StatusWord? = nil
  ) {
    self.protocolIdentifier = protocolIdentifier
    self.keyIdentifier = keyIdentifier
    self.readerPrivateKey = readerPrivateKey
    self.firstAnswer = firstAnswer
    self.refusal = refusal
  }

  /// The result of verifying the evidence.
  package enum Finding: Sendable, Equatable {
    /// The chip has the private key.
    case proven
    case refused(StatusWord)
    /// The session ended before the chip answered under the new keys.
    case noResponse
    /// The evidence is of another protocol, or the keys cannot be derived from it.
    case malformed
    /// The response is not protected with the keys that follow from the chip's key: it is another chip.
    case wrongKeys
  }

  /// - Parameter chipAuthentication: the offer in DG14, which Passive Authentication verifies.
  package func evaluate(_ chipAuthentication: ChipAuthentication) -> Finding {
    if let refusal { return .refused(refusal) }
    guard let firstAnswer else { return .noResponse }
    guard chipAuthentication.chipAuthentication.identifier == protocolIdentifier,
      let keys = try? chipAuthentication.keys(privateKey: readerPrivateKey),
      var session = try? keys.secureMessaging()
    else { return .malformed }
    do {
      // The first command incremented the counter once.
      session.skipCommand()
      _ = try session.unprotect(ResponseAPDU(firstAnswer))
      return .proven
    } catch {
      return .wrongKeys
    }
  }
}
