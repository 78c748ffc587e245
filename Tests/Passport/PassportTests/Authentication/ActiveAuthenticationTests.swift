import ChipTestSupport
import TesseraCryptography
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraPassport

@Suite("Active Authentication against published vectors and recorded documents")
struct ActiveAuthenticationTests {
  static let vectors = Fixtures.vectors("Passport/PassportTests", "active-auth.json")
  static let rsa = vectors.filter { $0["DG15"].isPresent }
  static let opened = vectors.filter { $0["F"].isPresent && $0["RND_IFD"].isPresent }
  static let ecdsa = vectors.first { $0.id == "aa-ecdsa-bp256-sha1" } ?? .missing

  static func evidence(_ vector: Vector, _ signature: [UInt8]) -> ActiveAuthenticationEvidence {
    ActiveAuthenticationEvidence(challenge: vector["RND_IFD"].bytes, signature: signature, status: .success)
  }

  @Test("the fixture has every vector")
  func counts() {
    #expect(Self.vectors.count == 14)
    #expect(Self.rsa.count == 5)
    #expect(Self.opened.count == 11)
    #expect(Self.vectors.last?["cases"].list.count == 5)
  }

  @Test("recovered messages, part by part", arguments: opened)
  func recovered(_ vector: Vector) throws {
    let message = try RecoveredMessage(vector["F"].bytes)
    #expect(message.recoverable.hexadecimal == vector["M1"].text)
    #expect(message.digest.hexadecimal == vector["D"].text)
    #expect(message.isPartial)
    if vector["hash"].isPresent { #expect(message.hashAlgorithm.rawValue == vector["hash"].text) }
    #expect(try message.covers(vector["RND_IFD"].bytes))
    #expect(try !message.covers([1, 2, 3, 4, 5, 6, 7, 9]))
  }

  @Test("recorded signatures with RSA", arguments: rsa)
  func signatures(_ vector: Vector) throws {
    let group = try DataGroup15(vector["DG15"].bytes)
    #expect(group.publicKey.kind != .other)
    #expect(group.signatureLength == vector["modulus_bits"].number / 8)
    let recovered = try group.publicKey.recover(vector["signature"].bytes)
    #expect([recovered.message, recovered.complement].map(\.hexadecimal).contains(vector["F"].text))
    let evidence = Self.evidence(vector, vector["signature"].bytes)
    #expect(evidence.evaluate(group.publicKey, nil) == .proven("RSA of 1024 bits, SHA-1"))
    // Another challenge, and signatures that are modified, too large, or empty.
    let other = ActiveAuthenticationEvidence(
      challenge: [UInt8](repeating: 3, count: 8), signature: vector["signature"].bytes, status: .success)
    #expect(other.evaluate(group.publicKey, nil) == .wrong("The signature does not cover the challenge."))
    for index in [0, 17, 127] {
      var changed = vector["signature"].bytes
      changed[index] ^= 1
      guard case .wrong = Self.evidence(vector, changed).evaluate(group.publicKey, nil) else {
        Issue.record("the change of byte \(index) was not detected")
        continue
      }
    }
    let length = vector["signature"].bytes.count
    for count in [1, 64, length - 5] {
      guard case .undecided = Self.evidence(vector, [UInt8](repeating: 1, count: count)).evaluate(group.publicKey, nil)
      else {
        Issue.record("a signature of \(count) octets, which is cut, was decided")
        continue
      }
    }
    for signature in [[UInt8](repeating: 0xFF, count: 128), [UInt8](repeating: 1, count: 300)] {
      guard case .wrong = Self.evidence(vector, signature).evaluate(group.publicKey, nil) else {
        Issue.record("a signature of \(signature.count) bytes was accepted")
        continue
      }
    }
    let refused = ActiveAuthenticationEvidence(challenge: [], signature: nil, status: StatusWord(0x6985))
    #expect(refused.evaluate(group.publicKey, nil) == .refused(StatusWord(0x6985)))
  }

  @Test("a recorded signature with ECDSA, plain and in DER")
  func elliptic() throws {
    let vector = Self.ecdsa
    // The recording has only the point; DG15 is its SubjectPublicKeyInfo.
    let algorithm = [UInt8](hexadecimal: "301406072A8648CE3D020106092B2403030208010107") ?? []
    let info = BERTLV.encode(0x30, algorithm + BERTLV.encode(0x03, [0] + vector["public_key"].bytes))
    let group = try DataGroup15(BERTLV.encode(0x6F, info))
    for name in ["signature_plain", "signature_der"] {
      let evidence = Self.evidence(vector, vector[name].bytes)
      #expect(evidence.evaluate(group.publicKey, nil) == .proven("ECDSA, brainpoolP256r1, SHA-1"), "\(name)")
      // If DG14 names the hash function, it decides: SHA-1 is right, SHA-256 is not.
      func infos(_ arc: String) throws -> SecurityInfos {
        let algorithm = BERTLV.encode(0x06, [UInt8](hexadecimal: "04007F000701010401" + arc) ?? [])
        return try SecurityInfosTests.infos(
          SecurityInfoBytes.entry("678108010105", SecurityInfoBytes.number(1) + algorithm))
      }
      #expect(try evidence.evaluate(group.publicKey, infos("01")) == .proven("ECDSA, brainpoolP256r1, SHA-1"))
      #expect(
        try evidence.evaluate(group.publicKey, infos("03")) == .wrong("The signature does not cover the challenge."))
      guard case .unsupported = try evidence.evaluate(group.publicKey, infos("06")) else {
        Issue.record("an unknown algorithm was decided")
        return
      }
      let other = ActiveAuthenticationEvidence(
        challenge: [1], signature: vector[name].bytes, status: .success)
      #expect(other.evaluate(group.publicKey, nil) == .wrong("The signature does not cover the challenge."))
    }
    #expect(vector["r"].text + vector["s"].text == vector["signature_plain"].text)
  }

  @Test("a chip that leaves zeros in front of the numbers out has the key")
  func numbersWithoutZeros() throws {
    let signer = try SigningKey.generate()
    let key = try PublicKey(subjectPublicKeyInfo: signer.publicKey.subjectPublicKeyInfo)
    let challenge: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    let digest = try HashAlgorithm.sha256.digest(of: challenge)
    func finding(_ signature: [UInt8], _ challenge: [UInt8] = challenge) -> ActiveAuthenticationEvidence.Finding {
      ActiveAuthenticationEvidence(challenge: challenge, signature: signature, status: .success).evaluate(key, nil)
    }
    var raw: [UInt8] = [1]
    while raw.first != 0 { raw = try signer.sign(digest: digest).raw }
    let short = Array(raw.drop { $0 == 0 })
    #expect(finding(short) == .proven("ECDSA, prime256v1, SHA-256"))
    #expect(finding(short, Array(1...9)) == .wrong("The signature does not cover the challenge."))
    #expect(finding([1, 2, 3]) == .wrong("The signature does not cover the challenge."))
  }

  @Test("refuses invalid messages, each with its reason")
  func negative() throws {
    let cases = try #require(Self.vectors.last?["cases"].list).map { $0["F"].bytes }
    #expect(throws: RecoveredMessage.Problem.header) { try RecoveredMessage(cases[0]) }
    #expect(throws: RecoveredMessage.Problem.header) { try RecoveredMessage(cases[1]) }
    #expect(throws: RecoveredMessage.Problem.trailer) { try RecoveredMessage(cases[2]) }
    #expect(throws: RecoveredMessage.Problem.hashAlgorithm(0)) { try RecoveredMessage(cases[3]) }
    #expect(throws: RecoveredMessage.Problem.tooShort) { try RecoveredMessage(cases[4]) }
    #expect(throws: RecoveredMessage.Problem.hashAlgorithm(0x31)) {
      try RecoveredMessage([0x6A] + [UInt8](repeating: 1, count: 60) + [0x31, 0xCC])
    }
    #expect(throws: RecoveredMessage.Problem.header) { try RecoveredMessage([UInt8](repeating: 0xBB, count: 128)) }
  }

  @Test("full recovery: the signature contains the challenge", arguments: [HashAlgorithm.sha1, .sha256, .sha512])
  func fullRecovery(_ hash: HashAlgorithm) throws {
    let challenge: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    let message: [UInt8] = [9, 9, 9] + challenge
    let trailers: [HashAlgorithm: [UInt8]] = [.sha1: [0xBC], .sha256: [0x34, 0xCC], .sha512: [0x35, 0xCC]]
    let tail = try message + hash.digest(of: message) + (trailers[hash] ?? [])
    for head in [[0x4A], [0x4B, 0xBA], [0x4B, 0xBB, 0xBB, 0xBA]] as [[UInt8]] {
      let opened = try RecoveredMessage(head + tail)
      #expect(!opened.isPartial && opened.recoverable == message && opened.hashAlgorithm == hash)
      #expect(try opened.covers(challenge))
      #expect(try !opened.covers([8, 7, 6, 5, 4, 3, 2, 1]))
    }
    #expect(throws: RecoveredMessage.Problem.header) { try RecoveredMessage([0x4B, 0x1A] + tail) }
  }

  @Test("an unknown hash function makes a signature wrong, not undecidable")
  func unknownHash() throws {
    // With the exponent 1 a signature recovers to itself.
    let modulus = [0xFF] + [UInt8](repeating: 0x11, count: 127)
    let key = BERTLV.encode(0x30, BERTLV.encode(0x02, [0] + modulus) + BERTLV.encode(0x02, [1]))
    let algorithm = [UInt8](hexadecimal: "300D06092A864886F70D0101010500") ?? []
    let info = BERTLV.encode(0x30, algorithm + BERTLV.encode(0x03, [0] + key))
    let group = try DataGroup15(BERTLV.encode(0x6F, info))
    let signature = [0x6A] + [UInt8](repeating: 1, count: 125) + [0x31, 0xCC]
    #expect(try group.publicKey.recover(signature).message == signature)
    let evidence = ActiveAuthenticationEvidence(
      challenge: [UInt8](repeating: 3, count: 8), signature: signature, status: .success)
    #expect(
      evidence.evaluate(group.publicKey, nil)
        == .wrong("The signature names an unknown hash function, 31 of ISO/IEC 10118-3."))
  }

  @Test("without extended length in the reader, a long or partial signature is undecided")
  func beyondReader() async throws {
    // Without secure messaging, 256 bytes fit.
    let modulus = [0xFF] + [UInt8](repeating: 0x11, count: 383)
    let key = BERTLV.encode(0x30, BERTLV.encode(0x02, [0] + modulus) + BERTLV.encode(0x02, [3]))
    let algorithm = [UInt8](hexadecimal: "300D06092A864886F70D0101010500") ?? []
    let info = BERTLV.encode(0x30, algorithm + BERTLV.encode(0x03, [0] + key))
    let group = try DataGroup15(BERTLV.encode(0x6F, info))
    #expect(group.signatureLength == 384)
    for answer in [[0x67, 0x00], [UInt8](repeating: 1, count: 256) + [0x90, 0x00]] as [[UInt8]] {
      let session = ChipSession(channel: ResponseChainTests.Pieces([answer]))
      let driver = ActiveAuthenticationDriver(session: session, answerLength: 384, extendedLengthLimit: nil)
      #expect(driver.lengths == [256, 256])
      let evidence = try await driver.run(challenge: [UInt8](repeating: 1, count: 8), length: 256)
      let status = answer.suffix(2).hexadecimal
      #expect(
        evidence.evaluate(group.publicKey, nil)
          == .unsupported(
            "The chip signs with RSA of 3072 bits, which needs extended length, and the reader does not support it "
              + "(status \(status))."))
      var kept = ChipEvidence()
      kept.activeAuthentication = evidence
      #expect(try ChipEvidence(json: #require(try kept.json())) == kept)
    }
    // A reader that states more may not carry it: then the chip has answered no command with extended length.
    let session = ChipSession(channel: ResponseChainTests.Pieces([[0x67, 0x00]]))
    let driver = ActiveAuthenticationDriver(session: session, answerLength: 384, extendedLengthLimit: 65_536)
    #expect(driver.lengths == [384, 256])
    let evidence = try await driver.run(challenge: [UInt8](repeating: 1, count: 8), length: 384)
    guard case .unsupported = evidence.evaluate(group.publicKey, nil) else {
      Issue.record("\(evidence.evaluate(group.publicKey, nil))")
      return
    }
  }

  @Test("refuses a challenge of other than eight bytes without sending a command", arguments: [0, 7, 9])
  func challengeLength(_ count: Int) async {
    let listener = TerminalAuthenticationTests.Listener()
    let driver = ActiveAuthenticationDriver(
      session: ChipSession(channel: listener), answerLength: 128, extendedLengthLimit: nil)
    await #expect(throws: PassportError.challengeLength(count)) {
      try await driver.run(challenge: [UInt8](repeating: 1, count: count), length: 256)
    }
    #expect(await listener.commands.isEmpty)
    #expect(PassportError.challengeLength(count).failure.kind == .usage)
  }
}
