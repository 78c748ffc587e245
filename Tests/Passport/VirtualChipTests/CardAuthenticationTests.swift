import TesseraCryptography
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraVirtualChip

@Suite("The card's Chip Authentication against published vectors")
struct CardChipAuthenticationTests {
  static let vectors = Fixtures.vectors("Passport/VirtualChipTests", "chip-auth.json")
  static let examples = vectors.filter { $0["SK_IC"].isPresent }
  static let recorded = vectors.filter { $0["exchanges"].isPresent }

  @Test("the fixture contains every vector")
  func counts() {
    #expect(Self.vectors.count == 5 && Self.examples.count == 2 && Self.recorded.count == 2)
    #expect(Self.recorded.allSatisfy { $0["exchanges"].list.count == 3 })
  }

  @Test("derives the secret and the keys of the worked examples from the card's private key", arguments: examples)
  func example(_ vector: Vector) throws {
    let group = try AgreementParameters(vector["curve"].isPresent ? 13 : 0).group()
    #expect(try group.publicKey(of: vector["SK_IC"].bytes).hexadecimal == vector["PK_IC"].text)
    #expect(try group.publicKey(of: vector["SK_IFD"].bytes).hexadecimal == vector["PK_IFD"].text)
    let secret = group.secret(of: try group.raise(vector["PK_IFD"].bytes, to: vector["SK_IC"].bytes))
    #expect(secret == SecretBytes(vector["K"].bytes))
    // The examples are of version 2, which derives the keys from the secret and a nonce of the card.
    let input = SecretBytes(vector["K"].bytes + vector["r"].bytes)
    let authentication = try KeyDerivation.derive(input, .authentication, for: .aes128)
    #expect(try KeyDerivation.derive(input, .encryption, for: .aes128) == SecretBytes(vector["KS_enc"].bytes))
    #expect(authentication == SecretBytes(vector["KS_mac"].bytes))
    let token = CardPACE.tokenInput(vector["oid_value"].bytes, vector["PK_IFD"].bytes, group.kind)
    #expect(token.hexadecimal == vector["token_input"].text)
    #expect(try CardCipher.mac(token, key: authentication, .aes128).hexadecimal == vector["T_IC"].text)
  }

  @Test(
    "processes recorded commands before and after Chip Authentication, and derives the recorded secret",
    arguments: recorded)
  func conversation(_ vector: Vector) throws {
    let cipher: KeyDerivation.Cipher = vector["before"]["cipher"].text == "AES" ? .aes128 : .tripleDES
    let before = vector["before"]
    var session = try CardSecureMessaging(
      encryptionKey: SecretBytes(before["KS_enc"].bytes), authenticationKey: SecretBytes(before["KS_mac"].bytes),
      cipher: cipher, counter: before["SSC"].bytes)
    let group = try AgreementParameters(13).group()
    let secret = group.secret(of: try group.raise(vector["PK_IC"].bytes, to: vector["SK_IFD"].bytes))
    #expect(secret == SecretBytes(vector["K"].bytes))
    #expect(
      try KeyDerivation.derive(secret, .encryption, for: cipher) == SecretBytes(vector["after"]["KS_enc"].bytes))
    for (index, exchange) in vector["exchanges"].list.enumerated() {
      if index == 2 { session = try CardSecureMessaging(secret: secret, cipher: cipher) }
      #expect(session.sendSequenceCounter.hexadecimal == exchange["SSC_before"].text)
      try CardSecureMessagingTests.open(
        &session, exchange["protected_command"].bytes, is: exchange["command"].bytes)
      let answer = ResponseAPDU(data: exchange["response_data"].bytes, status: .success)
      let ins = try #require(exchange["command"].bytes.dropFirst().first)
      #expect(try session.close(answer, ins: ins).encoded.hexadecimal == exchange["protected_response"].text)
    }
  }

  @Test("encodes a recorded DG14 identically: explicit parameters, key without identifier")
  func dataGroup14() throws {
    let vector = try #require(Self.recorded.first)
    let info = try AgreementParameters(13, .explicit).publicKeyInfo(vector["PK_IC"].bytes)
    let hexadecimal = info.hexadecimal
    #expect(vector["DG14"].text.contains(hexadecimal.dropFirst(8)))
  }
}

@Suite("The card's Active Authentication against published vectors")
struct CardActiveAuthenticationTests {
  static let vectors = Fixtures.vectors("Passport/VirtualChipTests", "active-auth.json")
  static let representatives = vectors.filter { $0["F"].isPresent && $0["M1"].isPresent }

  @Test("the fixture contains every vector")
  func counts() { #expect(Self.vectors.count == 14 && Self.representatives.count == 11) }

  @Test(
    "builds the published message representative from the random part and the challenge", arguments: representatives)
  func representative(_ vector: Vector) throws {
    // The trailer identifies the hash function; BC means SHA-1.
    let isImplicit = vector["F"].text.hasSuffix("BC")
    let hash = isImplicit ? HashAlgorithm.sha1 : try #require(HashAlgorithm(rawValue: vector["hash"].text))
    let trailer = CardActiveAuthentication.trailer(hash, isImplicit ? .implicit : .hashIdentifier)
    if vector["trailer"].isPresent { #expect(trailer.hexadecimal == vector["trailer"].text) }
    let message = try CardActiveAuthentication.representative(
      random: vector["M1"].bytes, challenge: vector["RND_IFD"].bytes, hash: hash, trailer: trailer, recovery: .partial)
    #expect(message.hexadecimal == vector["F"].text)
  }

  static let challenge: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]

  static let offers: [ActiveAuthenticationOffer] =
    [1024, 2048].flatMap { bits in
      HashAlgorithm.allCases.flatMap { hash in
        [ActiveAuthenticationOffer.Recovery.partial, .total].map { .rsa(bits: bits, hash, recovery: $0) }
      } + [.rsa(bits: bits, .sha1, trailer: .implicit)]
    }

  @Test("RSA signatures recover a message over the challenge", arguments: offers)
  func rsa(_ offer: ActiveAuthenticationOffer) throws {
    guard case .rsa(let bits, let hash, let trailer, let recovery) = offer else { return }
    let key = try SpecimenKeys.rsa(bits: bits)
    let numbers = try ModularArithmetic(BigNumber(key.modulus))
    func recoveredMessage(_ card: CardActiveAuthentication) throws -> [UInt8] {
      let signature = try card.sign(Self.challenge)
      #expect(signature.count == bits / 8)
      return try numbers.power(BigNumber(signature), BigNumber(65_537)).bytes(count: bits / 8)
    }
    let message = try recoveredMessage(CardActiveAuthentication(offer: offer))
    let tail = CardActiveAuthentication.trailer(hash, trailer)
    #expect(message.first == (recovery == .partial ? 0x6A : 0x4A) && Array(message.suffix(tail.count)) == tail)
    let body = message.dropFirst().dropLast(tail.count)
    let recovered = Array(body.dropLast(hash.digestLength))
    let signed = recovery == .partial ? recovered + Self.challenge : recovered
    #expect(try hash.digest(of: signed) == Array(body.suffix(hash.digestLength)))
    if recovery == .total { #expect(Array(recovered.suffix(8)) == Self.challenge) }
    let forged = try recoveredMessage(CardActiveAuthentication(offer: offer, isClone: true))
    #expect(
      !(forged.first == message.first && Array(forged.suffix(tail.count)) == tail),
      "a clone's signature recovers no message")
  }

  @Test(
    "OpenSSL verifies ECDSA signatures in both encodings", arguments: [8, 9, 10, 12, 13, 14, 15, 16, 17, 18])
  func ecdsa(_ identifier: Int) throws {
    let parameters = AgreementParameters(identifier, .explicit)
    let exponent = try SpecimenKeys.activeAuthentication(parameters, isClone: false)
    let key = try PublicKey(
      subjectPublicKeyInfo: parameters.publicKeyInfo(try parameters.group().publicKey(of: exponent)))
    for hash in HashAlgorithm.allCases {
      for encoding in [ActiveAuthenticationOffer.SignatureEncoding.plain, .der] {
        let offer = ActiveAuthenticationOffer.ecdsa(parameters, hash, encoding: encoding)
        let signature = try CardActiveAuthentication(offer: offer).sign(Self.challenge)
        let algorithm: SignatureAlgorithm = encoding == .plain ? .plainECDSA(hash) : .ecdsa(hash)
        #expect(try key.verify(signature, over: Self.challenge, algorithm))
        #expect(try !key.verify(signature, over: Self.challenge.reversed(), algorithm))
        let forged = try CardActiveAuthentication(offer: offer, isClone: true).sign(Self.challenge)
        #expect(try !key.verify(forged, over: Self.challenge, algorithm))
      }
    }
  }
}
