import TesseraCryptography
import TesseraSmartCard

/// The card's side of PACE (Doc 9303-11, 4.4), from the first GENERAL AUTHENTICATE to the last.
struct CardPACE {
  /// The random values of one run.
  struct Ephemerals {
    var nonce: [UInt8]
    /// The exponent of the mapping's key pair; Integrated Mapping has none.
    var mapping: [UInt8]
    /// The exponent of the key pair in the mapped group.
    var agreement: [UInt8]
  }

  /// The result of a successful run.
  struct Outcome {
    let session: CardSecureMessaging
    /// `Comp` of the card's ephemeral public key, the chip identifier in Terminal Authentication.
    let identifier: [UInt8]
    /// `Comp` of the terminal's, to which Terminal Authentication binds after Chip Authentication Mapping; nil after
    /// the other mappings, which do not authenticate the chip (Doc 9303-11, 7.1).
    let terminalKey: [UInt8]?
  }

  /// The reason why a step is refused. A refusal ends the run.
  enum Refusal: Error {
    /// The data object is not the one of this step, or it does not contain a public key.
    case malformed
    /// The token is wrong, and therefore the password.
    case wrongPassword
  }

  private enum Step {
    case nonce
    case mapping
    case agreement(generator: [UInt8])
    case token(terminalKey: [UInt8], publicKey: [UInt8], encryption: SecretBytes, authentication: SecretBytes)
    case ended
  }

  private let offer: PACEOffer
  private let group: any AgreementGroup
  private let passwordKey: SecretBytes
  private let ephemerals: Ephemerals
  /// The exponent of the static key of Chip Authentication Mapping.
  private let staticKey: [UInt8]?
  private let fault: ChipFault?
  private var step = Step.nonce

  init(
    offer: PACEOffer, passwordKey: SecretBytes, staticKey: [UInt8]? = nil, ephemerals: Ephemerals? = nil,
    nonceLength: Int? = nil, fault: ChipFault? = nil
  ) throws {
    self.offer = offer
    self.passwordKey = passwordKey
    self.staticKey = staticKey
    self.fault = fault
    group = try offer.parameters.group()
    self.ephemerals =
      try ephemerals
      ?? Ephemerals(
        nonce: RandomBytes.make(nonceLength ?? CardPACEMapping.nonceLength(offer.mapping, offer.cipher)),
        mapping: group.randomExponent(), agreement: group.randomExponent())
  }

  /// Whether the next step is the last one.
  var isAtLastStep: Bool { if case .token = step { true } else { false } }

  /// Answers one GENERAL AUTHENTICATE.
  ///
  /// - Parameter objects: The content of the command's data object 7C.
  /// - Returns: The content of the response's data object 7C, and the outcome after the last step.
  /// - Throws: `Refusal`, or `CryptographyError`.
  mutating func answer(_ objects: [BERTLV]) throws -> (objects: [UInt8], outcome: Outcome?) {
    let current = step
    step = .ended
    switch current {
    case .nonce:
      guard objects.isEmpty else { throw Refusal.malformed }
      step = .mapping
      let encrypted = try CardCipher.encrypt(ephemerals.nonce, key: passwordKey, offer.cipher)
      return (BERTLV.encode(0x80, encrypted), nil)
    case .mapping:
      let (generator, answer) = try map(Self.value(of: 0x81, in: objects))
      step = .agreement(generator: generator)
      return (answer, nil)
    case .agreement(let generator):
      return (try agree(generator, Self.value(of: 0x83, in: objects)), nil)
    case .token(let terminalKey, let publicKey, let encryption, let authentication):
      let token = try Self.value(of: 0x85, in: objects)
      guard constantTimeEqual(try self.token(over: publicKey, authentication), token) else {
        throw Refusal.wrongPassword
      }
      var answer = try self.token(over: terminalKey, authentication)
      if fault == .wrongToken { answer[answer.count - 1] ^= 0x01 }
      var objects = BERTLV.encode(0x86, answer)
      if offer.mapping == .chipAuthentication { objects += try chipAuthenticationData(encryption) }
      let session = try CardSecureMessaging(
        encryptionKey: encryption, authenticationKey: authentication, cipher: offer.cipher)
      return (
        objects,
        Outcome(
          session: session, identifier: try group.compressed(publicKey),
          terminalKey: offer.mapping == .chipAuthentication ? try group.compressed(terminalKey) : nil)
      )
    case .ended: throw Refusal.malformed
    }
  }

  private static func value(of tag: UInt32, in objects: [BERTLV]) throws -> [UInt8] {
    guard let object = objects.first(where: { $0.tag == tag }) else { throw Refusal.malformed }
    return Array(object.value)
  }

  // MARK: - The steps

  private func map(_ terminal: [UInt8]) throws -> (generator: [UInt8], answer: [UInt8]) {
    switch offer.mapping {
    case .integrated:
      let generator = try CardPACEMapping.integrated(
        group, cipher: offer.cipher, nonce: ephemerals.nonce, terminalNonce: terminal)
      return (generator, BERTLV.encode(0x82, []))
    case .generic, .chipAuthentication:
      try group.check(terminal)
      let shared = try group.raise(terminal, to: ephemerals.mapping)
      let generator = try CardPACEMapping.generic(group, nonce: ephemerals.nonce, shared: shared)
      let publicKey = try group.publicKey(of: ephemerals.mapping)
      return (generator, BERTLV.encode(0x82, corrupted(group.encoded(publicKey), terminal: terminal)))
    }
  }

  private mutating func agree(_ generator: [UInt8], _ terminal: [UInt8]) throws -> [UInt8] {
    try group.check(terminal)
    let publicKey = try group.raise(generator, to: ephemerals.agreement)
    guard group.encoded(publicKey) != group.encoded(terminal) else { throw Refusal.malformed }
    let secret = group.secret(of: try group.raise(terminal, to: ephemerals.agreement))
    step = .token(
      terminalKey: terminal, publicKey: publicKey,
      encryption: try KeyDerivation.derive(secret, .encryption, for: offer.cipher),
      authentication: try KeyDerivation.derive(secret, .authentication, for: offer.cipher))
    return BERTLV.encode(0x84, fault == .sameAgreementKey ? terminal : group.encoded(publicKey))
  }

  /// The input of a token: the other side's public key (Doc 9303-11, 4.4.3.4).
  ///
  /// - Parameter publicKey: The key in the encoding of a data object.
  static func tokenInput(_ objectIdentifier: [UInt8], _ publicKey: [UInt8], _ kind: AgreementKind) -> [UInt8] {
    BERTLV.encode(0x7F49, BERTLV.encode(0x06, objectIdentifier) + BERTLV.encode(kind.publicKeyTag, publicKey))
  }

  private func token(over publicKey: [UInt8], _ key: SecretBytes) throws -> [UInt8] {
    let input = Self.tokenInput(offer.objectIdentifier, group.encoded(publicKey), group.kind)
    return try CardCipher.mac(input, key: key, offer.cipher)
  }

  private func chipAuthenticationData(_ key: SecretBytes) throws -> [UInt8] {
    guard let staticKey else { throw Refusal.malformed }
    return BERTLV.encode(
      0x8A,
      try Self.chipAuthenticationData(
        mapping: ephemerals.mapping, staticKey: staticKey, order: group.order, key: key))
  }

  /// `A_IC` (Doc 9303-11, 4.4.3.5.4): the mapping's exponent divided by the static one, encrypted.
  static func chipAuthenticationData(
    mapping: [UInt8], staticKey: [UInt8], order: [UInt8], key: SecretBytes
  ) throws -> [UInt8] {
    let numbers = try ModularArithmetic(BigNumber(order))
    let quotient = try numbers.multiply(numbers.inverse(BigNumber(staticKey)), BigNumber(mapping))
    let data = Padding.pad(try quotient.bytes(count: order.count), to: CardAES.blockSize)
    let cipher = try CardAES(key: key)
    let vector = try cipher.encrypt([UInt8](repeating: 0xFF, count: CardAES.blockSize))
    return try cipher.encrypt(data, vector: vector)
  }

  /// The public key that a faulty chip sends.
  private func corrupted(_ publicKey: [UInt8], terminal: [UInt8]) -> [UInt8] {
    switch fault {
    case .pointOffCurve:
      var key = publicKey
      key[key.count - 1] ^= 0x01
      return key
    case .pointAtInfinity: return [0x00]
    case .zeroCoordinates: return [0x04] + [UInt8](repeating: 0, count: publicKey.count - 1)
    case .sameMappingKey: return terminal
    default: return publicKey
    }
  }
}
