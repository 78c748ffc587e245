import TesseraCryptography
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraVirtualChip

@Suite("The card's AES against published vectors")
struct CardSecureMessagingTests {
  static let cmacs = Fixtures.vectors("Passport/VirtualChipTests", "aes-cmac.json")
  static let messaging = Fixtures.vectors("Passport/VirtualChipTests", "sm-aes.json")
  static func named(_ id: String) -> Vector { messaging.first { $0.id == id } ?? .missing }

  static let commands = named("sm-aes128-ausweisapp-commands")
  static let counters = named("sm-aes128-ausweisapp-counter")

  @Test("the fixtures contain every vector")
  func counts() {
    #expect(Self.cmacs.count == 14 && Self.messaging.count == 6)
    #expect(Self.commands["cases"].list.count == 8 && Self.counters["exchanges"].list.count == 4)
  }

  @Test("computes CMAC", arguments: cmacs)
  func cmac(_ vector: Vector) throws {
    let mac = try CardAES(key: SecretBytes(vector["key"].bytes)).cmac(vector["data"].bytes)
    if vector["mac"].isPresent { #expect(mac.hexadecimal == vector["mac"].text) }
    if vector["mac_truncated_8"].isPresent {
      #expect(mac.prefix(8).hexadecimal == vector["mac_truncated_8"].text)
    }
    #expect(vector["mac"].isPresent || vector["mac_truncated_8"].isPresent)
  }

  static func cipher(_ name: String) -> KeyDerivation.Cipher {
    ["AES-128": .aes128, "AES-192": .aes192, "AES-256": .aes256][name] ?? .tripleDES
  }

  static func session(_ vector: Vector, counter: String) throws -> CardSecureMessaging {
    try CardSecureMessaging(
      encryptionKey: SecretBytes(vector["KS_enc"].bytes), authenticationKey: SecretBytes(vector["KS_mac"].bytes),
      cipher: cipher(vector["cipher"].text), counter: [UInt8](hexadecimal: counter))
  }

  /// Checks that the card decrypts a protected command to the plain one.
  static func open(_ session: inout CardSecureMessaging, _ protected: [UInt8], is plain: [UInt8]) throws {
    let received = try #require(CardCommand(protected))
    let expected = try #require(CardCommand(plain))
    let opened = try session.open(received)
    #expect(opened.header == expected.header && opened.data == expected.data)
    #expect(opened.expectedLength == expected.expectedLength)
  }

  @Test("verifies and decrypts protected commands", arguments: commands["cases"].list)
  func open(_ vector: Vector) throws {
    var session = try Self.session(Self.commands, counter: vector["SSC_before"].text)
    try Self.open(&session, vector["protected_command"].bytes, is: vector["command"].bytes)
    #expect(session.sendSequenceCounter.last == 1)
  }

  @Test("refuses a command with one changed bit", arguments: commands["cases"].list)
  func changed(_ vector: Vector) throws {
    let protected = vector["protected_command"].bytes
    for index in [0, 1, 2, 3, protected.count - 3] {
      var changed = protected
      changed[index] ^= 0x01
      var session = try Self.session(Self.commands, counter: vector["SSC_before"].text)
      let command = CardCommand(changed)
      #expect(throws: (any Error).self) { try session.open(#require(command)) }
    }
  }

  @Test("increments the send sequence counter", arguments: counters["exchanges"].list)
  func counter(_ vector: Vector) throws {
    var session = try Self.session(Self.counters, counter: vector["SSC_before"].text)
    try Self.open(&session, vector["protected_command"].bytes, is: vector["command"].bytes)
  }

  @Test("decrypts a recorded command under AES-256")
  func recorded() throws {
    let vector = Self.named("sm-aes256-persosim")
    var session = try Self.session(vector, counter: vector["SSC_before"].text)
    try Self.open(&session, vector["protected_command"].bytes, is: vector["command"].bytes)
  }

  @Test("computes cryptogram and MAC of the worked examples", arguments: ["sm-aes128-eac-ecdh", "sm-aes128-eac-dh"])
  func workedExample(_ id: String) throws {
    let vector = Self.named(id)
    let encryption = try #require(vector["encryption"].list.first)
    let authentication = try #require(vector["authentication"].list.first)
    let cipher = try CardAES(key: SecretBytes(vector["KS_enc"].bytes))
    let padded = Padding.pad(encryption["data"].bytes, to: 16)
    #expect(padded.hexadecimal == encryption["padded"].text)
    let initial = try cipher.encrypt(encryption["SSC"].bytes)
    #expect(try cipher.encrypt(padded, vector: initial).hexadecimal == encryption["encrypted"].text)
    // The example authenticates a response without data.
    var session = try CardSecureMessaging(
      encryptionKey: SecretBytes(vector["KS_enc"].bytes), authenticationKey: SecretBytes(vector["KS_mac"].bytes),
      cipher: .aes128, counter: [UInt8](repeating: 0, count: 15) + [1])
    let response = try session.close(ResponseAPDU(status: .success), ins: 0xB0)
    #expect(
      response.data.hexadecimal == authentication["authenticated_data"].text + "8E08" + authentication["mac"].text)
  }

  @Test("computes the maximum plaintext length of a response, 223 bytes in a short response under AES")
  func capacity() throws {
    #expect(CardSecureMessaging.capacity(of: 256, blockSize: 16) == 223)
    #expect(CardSecureMessaging.capacity(of: 256) == 231)
    let keys = SecretBytes([UInt8](repeating: 1, count: 16))
    var session = try CardSecureMessaging(encryptionKey: keys, authenticationKey: keys, cipher: .aes128)
    for limit in 0...1200 {
      let capacity = session.capacity(of: limit)
      guard capacity > 0 else { continue }
      let fits = try session.close(
        ResponseAPDU(data: [UInt8](repeating: 0, count: capacity), status: .success), ins: 0xB0)
      let larger = try session.close(
        ResponseAPDU(data: [UInt8](repeating: 0, count: capacity + 1), status: .success), ins: 0xB0)
      #expect(fits.data.count <= limit && larger.data.count > limit, "\(limit)")
    }
  }
}
