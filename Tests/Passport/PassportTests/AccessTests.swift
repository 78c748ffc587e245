import TesseraCryptography
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraPassport
@testable import TesseraVirtualChip

@Suite("Basic Access Control against published vectors")
struct BasicAccessControlTests {
  static let vectors = Fixtures.vectors("Passport/PassportTests", "bac.json")
  static let example = vectors.first { $0.id == "bac-icao-d3" } ?? .missing

  static func randomValues(_ vector: Vector) -> BasicAccessControl.ReaderRandomValues {
    .init(nonce: vector["RND_IFD"].bytes, keyingMaterial: SecretBytes(vector["K_IFD"].bytes))
  }

  @Test("the fixture has every vector")
  func counts() {
    #expect(Self.vectors.count == 3)
    #expect(Self.vectors.last?["cases"].list.count == 4)
  }

  @Test("key seed and keys", arguments: vectors.filter { $0["K_seed"].isPresent })
  func keys(_ vector: Vector) throws {
    let seed = try MRZInformation(typed: vector["mrz_information"].text).keySeed()
    #expect(seed == SecretBytes(vector["K_seed"].bytes))
    #expect(
      try KeyDerivation.derive(seed, .encryption, for: .tripleDES) == SecretBytes(vector["K_enc"].bytes))
    #expect(
      try KeyDerivation.derive(seed, .authentication, for: .tripleDES) == SecretBytes(vector["K_mac"].bytes))
  }

  @Test("the reader's side of the worked example of Doc 9303-11, D.3")
  func workedExample() throws {
    let vector = Self.example
    let bac = try BasicAccessControl(keySeed: SecretBytes(vector["K_seed"].bytes))
    let data = try bac.authenticationData(challenge: vector["RND_IC"].bytes, randomValues: Self.randomValues(vector))
    #expect(data.hexadecimal == vector["cmd_data"].text)
    let command = CommandAPDU(ins: 0x82, p1: 0, p2: 0, data: data, expectedLength: 40)
    #expect(try command.encoded().hexadecimal == vector["EXTERNAL_AUTHENTICATE_command"].text)
    // The session is that of D.4, whose first protected command is known.
    var session = try bac.session(
      answer: vector["resp_data"].bytes, challenge: vector["RND_IC"].bytes, randomValues: Self.randomValues(vector))
    let select = CommandAPDU(ins: 0xA4, p1: 2, p2: 0x0C, data: [0x01, 0x1E])
    #expect(
      try session.protect(select).encoded().hexadecimal == "0CA4020C158709016375432908C044F68E08BF8B92D635FF24F800")
  }

  @Test("the card's side of the same example")
  func cardSide() throws {
    let vector = Self.example
    let card = try CardBasicAccess(keySeed: SecretBytes(vector["K_seed"].bytes))
    let result = try #require(
      try card.authenticate(
        vector["cmd_data"].bytes, challenge: vector["RND_IC"].bytes, keyingMaterial: vector["K_IC"].bytes))
    #expect(result.response.hexadecimal == vector["resp_data"].text)
  }

  @Test("refuses responses that prove nothing", arguments: vectors.last?["cases"].list ?? [])
  func negative(_ vector: Vector) throws {
    let base = try #require(Self.vectors.last)
    func field(_ name: String) -> [UInt8] { (vector[name].isPresent ? vector : base)[name].bytes }
    let bac = try BasicAccessControl(
      encryptionKey: SecretBytes(field("K_enc")), authenticationKey: SecretBytes(field("K_mac")))
    let randomValues = BasicAccessControl.ReaderRandomValues(
      nonce: field("RND_IFD"), keyingMaterial: SecretBytes(Self.example["K_IFD"].bytes))
    #expect(throws: BasicAccessControl.Problem.self) {
      try bac.session(answer: vector["resp_data"].bytes, challenge: field("RND_IC"), randomValues: randomValues)
    }
  }
}

@Suite("Secure messaging with 3DES against published vectors")
struct SecureMessagingTests {
  static let vectors = Fixtures.vectors("Passport/PassportTests", "sm-3des.json")
  static let forged = vectors.first { $0.id == "sm-3des-negative" } ?? .missing

  static func session(_ vector: Vector, counter: String) throws -> SecureMessaging {
    let suite = try TripleDESSuite(
      encryptionKey: SecretBytes(vector["KS_enc"].bytes), authenticationKey: SecretBytes(vector["KS_mac"].bytes))
    return SecureMessaging(
      suite: suite, sendSequenceCounter: [UInt8](hexadecimal: counter) ?? [])
  }

  /// Decodes a command; the vectors use short ones with data and without Le, or with Le only.
  static func command(_ text: String) -> CommandAPDU {
    let bytes = [UInt8](hexadecimal: text) ?? []
    guard bytes.count > 5 else {
      return CommandAPDU(ins: bytes[1], p1: bytes[2], p2: bytes[3], expectedLength: Int(bytes[4]))
    }
    return CommandAPDU(ins: bytes[1], p1: bytes[2], p2: bytes[3], data: Array(bytes[5...]))
  }

  @Test("the fixture has every vector")
  func counts() {
    #expect(Self.vectors.count == 4)
    #expect(Self.vectors.flatMap { $0["exchanges"].list }.count == 8)
    #expect(Self.forged["cases"].list.count == 6)
  }

  @Test("commands and responses", arguments: vectors.filter { $0["exchanges"].isPresent })
  func exchanges(_ vector: Vector) throws {
    var checked = 0
    for exchange in vector["exchanges"].list {
      let before = exchange["SSC_before"].text
      var session = try Self.session(vector, counter: before)
      if exchange["command"].isPresent {
        let protected = try session.protect(Self.command(exchange["command"].text))
        #expect(try protected.encoded().hexadecimal == exchange["protected_command"].text)
        checked += 1
      }
      if exchange["protected_response"].isPresent {
        let answer = try session.unprotect(ResponseAPDU(exchange["protected_response"].bytes))
        #expect(answer.data.hexadecimal == exchange["response_data"].text)
        #expect("\(answer.status)" == exchange["SW"].text)
        checked += 1
      }
    }
    #expect(checked >= 2)
  }

  @Test("one session runs the complete example of Doc 9303-11, D.4")
  func wholeExample() throws {
    let vector = try #require(Self.vectors.first)
    var session = try Self.session(vector, counter: vector["SSC_initial"].text)
    var file: [UInt8] = []
    for exchange in vector["exchanges"].list {
      let protected = try session.protect(Self.command(exchange["command"].text))
      #expect(try protected.encoded().hexadecimal == exchange["protected_command"].text)
      file += try session.unprotect(ResponseAPDU(exchange["protected_response"].bytes)).data
    }
    #expect(file.hexadecimal == vector["result_EF_COM"].text)
  }

  @Test("refuses forged responses", arguments: forged["cases"].list)
  func negative(_ vector: Vector) throws {
    let counter = (vector["SSC_before"].isPresent ? vector : Self.forged)["SSC_before"].text
    var session = try Self.session(Self.forged, counter: counter)
    // Chips send another status word outside (9000 for 6282, say). The protected one counts.
    if vector["name"].text.contains("outside differs") {
      let answer = try session.unprotect(ResponseAPDU(vector["protected_response"].bytes))
      #expect(answer == ResponseAPDU(status: .success))
      return
    }
    #expect(throws: (any Error).self) {
      try session.unprotect(ResponseAPDU(vector["protected_response"].bytes))
    }
  }

  @Test("accepts the unmodified response of the negative cases")
  func positive() throws {
    var session = try Self.session(Self.forged, counter: "887022120C06C227")
    let answer = try session.unprotect(ResponseAPDU([UInt8](hexadecimal: "990290008E08FA855A5D4C50A8ED9000") ?? []))
    #expect(answer == ResponseAPDU(status: .success))
  }

  @Test("the largest plaintext of a response")
  func capacity() throws {
    let session = try Self.session(Self.forged, counter: "0000000000000000")
    #expect(session.largestPlaintext(inResponseOf: 256) == 231)
    for limit in 0...600 {
      let reader = session.largestPlaintext(inResponseOf: limit)
      #expect(reader == CardSecureMessaging.capacity(of: limit), "\(limit)")
    }
  }

  @Test(
    "the counter wraps around, and both sides stay synchronised for every length",
    arguments: [0, 1, 7, 8, 100, 231, 5000])
  func bothSides(_ length: Int) throws {
    let seed = SecretBytes([UInt8](repeating: 5, count: 16))
    var card = try CardSecureMessaging(sessionSeed: seed, sendSequenceCounter: .max)
    let suite = try TripleDESSuite(
      encryptionKey: KeyDerivation.derive(seed, .encryption, for: .tripleDES),
      authenticationKey: KeyDerivation.derive(seed, .authentication, for: .tripleDES))
    var reader = SecureMessaging(suite: suite, sendSequenceCounter: [UInt8](repeating: 0xFF, count: 8))
    let data = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    for instruction: UInt8 in [0xB0, 0xB1] {
      let command = CommandAPDU(ins: instruction, p1: 1, p2: 2, data: data, expectedLength: 300)
      let received = try #require(CardCommand(try reader.protect(command).encoded()))
      let opened = try card.open(received)
      #expect(opened.data == data && opened.expectedLength == 300 && opened.header == [0, instruction, 1, 2])
      let answer = ResponseAPDU(data: data, status: .endOfFile)
      #expect(try reader.unprotect(try card.close(answer, ins: instruction)) == answer)
    }
  }

  @Test("detects every flipped bit of a protected response")
  func flippedBits() throws {
    let vector = try #require(Self.vectors.first)
    let exchange = try #require(vector["exchanges"].list.last)
    let answer = exchange["protected_response"].bytes
    // The status outside is not under the MAC.
    for index in answer.indices.dropLast(2) {
      for bit in 0..<8 {
        var changed = answer
        changed[index] ^= 1 << bit
        var session = try Self.session(vector, counter: "887022120C06C22B")
        #expect(throws: SecureMessagingError.self, "byte \(index) bit \(bit)") {
          try session.unprotect(ResponseAPDU(changed))
        }
      }
    }
  }
}
