import ChipTestSupport
import TesseraCryptography
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraPassport

@Suite("Secure messaging with AES against published vectors")
struct AESSecureMessagingTests {
  static let vectors = Fixtures.vectors("Passport/PassportTests", "sm-aes.json")

  static func keys(_ vector: Vector) -> SessionKeys {
    let encryption = vector["KS_enc"].bytes
    let ciphers: [Int: KeyDerivation.Cipher] = [16: .aes128, 24: .aes192, 32: .aes256]
    return SessionKeys(
      cipher: ciphers[encryption.count] ?? .tripleDES, encryption: SecretBytes(encryption),
      authentication: SecretBytes(vector["KS_mac"].bytes))
  }

  static func suite(_ vector: Vector) throws -> AESSuite {
    try AESSuite(
      encryptionKey: SecretBytes(vector["KS_enc"].bytes), authenticationKey: SecretBytes(vector["KS_mac"].bytes))
  }

  @Test("the fixture has every vector")
  func counts() {
    #expect(Self.vectors.count == 6)
    #expect(Self.vectors[0]["cases"].list.count == 8)
    #expect(Self.vectors[1]["exchanges"].list.count == 4)
    #expect(Self.vectors[5]["exchanges"].list.count == 3)
  }

  @Test("commands of every form, step by step", arguments: vectors[0]["cases"].list)
  func commands(_ vector: Vector) throws {
    var session = try Self.keys(Self.vectors[0]).secureMessaging(counter: vector["SSC_before"].bytes)
    let command = CommandAPDU(fixture: vector["command"].bytes)
    #expect(try command.encoded().hexadecimal == vector["command"].text)
    let protected = try session.protect(command)
    #expect(try protected.encoded().hexadecimal == vector["protected_command"].text)

    let steps = vector["command_steps"]
    guard steps["SSC"].isPresent else { return }
    let suite = try Self.suite(Self.vectors[0])
    #expect(try suite.mac(padded: steps["N_padded"].bytes).hexadecimal == steps["CC"].text)
    #expect(protected.data.suffix(10).hexadecimal == steps["DO8E"].text)
    #expect([protected.cla, protected.ins, protected.p1, protected.p2].hexadecimal == steps["masked_header"].text)
    #expect(Padding.pad(steps["masked_header"].bytes, to: 16).hexadecimal == steps["padded_header"].text)
    let objects = steps["DO87"].text + steps["DO97"].text
    #expect(steps["padded_header"].text + objects == steps["M"].text)
    #expect(protected.data.hexadecimal == objects + steps["DO8E"].text)
    if steps["padded_data"].isPresent {
      #expect(Padding.pad(command.data, to: 16).hexadecimal == steps["padded_data"].text)
      #expect(
        try suite.encrypt(steps["padded_data"].bytes, counter: steps["SSC"].bytes).hexadecimal
          == steps["encrypted_data"].text)
    }
  }

  @Test("a sequence of commands, and single ones with other keys")
  func counter() throws {
    for exchange in Self.vectors[1]["exchanges"].list {
      var session = try Self.keys(Self.vectors[1]).secureMessaging(counter: exchange["SSC_before"].bytes)
      let protected = try session.protect(CommandAPDU(fixture: exchange["command"].bytes))
      #expect(try protected.encoded().hexadecimal == exchange["protected_command"].text)
    }
    let vector = Self.vectors[2]
    #expect(vector["cipher"].text == "AES-256")
    var session = try Self.keys(vector).secureMessaging(counter: vector["SSC_before"].bytes)
    let protected = try session.protect(CommandAPDU(fixture: vector["command"].bytes))
    #expect(try protected.encoded().hexadecimal == vector["protected_command"].text)
    #expect(try Self.suite(vector).vector([UInt8](repeating: 0, count: 15) + [3]).hexadecimal == vector["IV"].text)
  }

  @Test("encryption and authentication of the EAC worked examples", arguments: [3, 4])
  func eac(_ index: Int) throws {
    let vector = Self.vectors[index]
    let suite = try Self.suite(vector)
    let encryption = try #require(vector["encryption"].list.first)
    #expect(Padding.pad(encryption["data"].bytes, to: 16).hexadecimal == encryption["padded"].text)
    let encrypted = try suite.encrypt(encryption["padded"].bytes, counter: encryption["SSC"].bytes)
    #expect(encrypted.hexadecimal == encryption["encrypted"].text)
    #expect(try suite.decrypt(encrypted[...], counter: encryption["SSC"].bytes) == encryption["padded"].bytes)
    let authentication = try #require(vector["authentication"].list.first)
    let input = authentication["SSC"].bytes + authentication["authenticated_data"].bytes
    #expect(try suite.mac(padded: Padding.pad(input, to: 16)).hexadecimal == authentication["mac"].text)
  }

  @Test("a recorded session of a real chip, across the key change of Chip Authentication")
  func session() throws {
    let vector = Self.vectors[5]
    var checked = 0
    for exchange in vector["exchanges"].list {
      let isNew = exchange["keys"].text == "new session keys"
      let keys = Self.keys(vector[isNew ? "after" : "before"])
      var session = try keys.secureMessaging(counter: exchange["SSC_before"].bytes)
      let protected = try session.protect(CommandAPDU(fixture: exchange["command"].bytes))
      #expect(try protected.encoded().hexadecimal == exchange["protected_command"].text)
      let answer = try session.unprotect(ResponseAPDU(exchange["protected_response"].bytes))
      #expect(answer.data.hexadecimal == exchange["response_data"].text)
      #expect("\(answer.status)" == exchange["SW"].text)
      checked += 1
    }
    #expect(checked == 3)
  }

  @Test("the largest plaintext of a response")
  func capacity() throws {
    let session = try Self.keys(Self.vectors[0]).secureMessaging()
    #expect(session.largestPlaintext(inResponseOf: 256) == 223)
    #expect(session.largestPlaintext(inResponseOf: 0) == 0)
    #expect(session.largestPlaintext(inResponseOf: 65_534) > 65_000)
  }

  @Test("detects every flipped bit of a protected response")
  func flippedBits() throws {
    let vector = Self.vectors[5]
    let exchange = vector["exchanges"].list[1]
    let answer = exchange["protected_response"].bytes
    #expect(answer.count == 35)
    // The status outside is not under the MAC.
    for index in answer.indices.dropLast(2) {
      for bit in 0..<8 {
        var changed = answer
        changed[index] ^= 1 << bit
        var session = try Self.keys(vector["before"]).secureMessaging(counter: exchange["SSC_before"].bytes)
        _ = try session.protect(CommandAPDU(fixture: exchange["command"].bytes))
        #expect(throws: SecureMessagingError.self, "byte \(index) bit \(bit)") {
          try session.unprotect(ResponseAPDU(changed))
        }
      }
    }
  }
}
