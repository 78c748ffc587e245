import TesseraCryptography
import TesseraPassport
import TesseraSmartCard
import Testing

@testable import TesseraVirtualChip

/// A minimal terminal for tests of the card. It does not check the card.
struct TestTerminal {
  var chip: Chip
  private var keys: (cipher: KeyDerivation.Cipher, encryption: SecretBytes, authentication: SecretBytes)?
  private var counter: [UInt8] = []
  /// `Comp` of the card's last ephemeral key of PACE.
  private(set) var chipIdentifier: [UInt8] = []

  init(_ profile: ChipProfile) throws {
    chip = try Chip(profile: profile, files: SpecimenDocument(profile: profile).files)
  }

  init(chip: Chip) { self.chip = chip }

  typealias Answer = (data: [UInt8], status: String)

  /// Sends a command, under secure messaging if a session exists.
  mutating func send(_ header: [UInt8], _ data: [UInt8] = [], _ expected: Int? = nil) throws -> Answer {
    guard let keys else { return try transmit(header, data, expected) }
    advance()
    var header = header
    header[0] |= 0x0C
    var objects: [UInt8] = []
    let isOdd = header[1] & 1 == 1
    if !data.isEmpty {
      let cryptogram = try encrypt(Padding.pad(data, to: keys.cipher.blockSize))
      objects = isOdd ? BERTLV.encode(0x85, cryptogram) : BERTLV.encode(0x87, [0x01] + cryptogram)
    }
    if let expected {
      let length = expected <= 256 ? [UInt8(expected & 0xFF)] : [UInt8(expected >> 8 & 0xFF), UInt8(expected & 0xFF)]
      objects += BERTLV.encode(0x97, length)
    }
    objects += BERTLV.encode(0x8E, try mac(Padding.pad(header, to: keys.cipher.blockSize), objects))
    let isExtended = objects.count > 255 || (expected ?? 0) > 256
    let answer = try transmit(header, objects, isExtended ? 65_536 : 256)
    guard !answer.data.isEmpty else {
      self.keys = nil
      return answer
    }
    advance()
    let parts = try BERTLV.sequence(answer.data[...])
    let code = try #require(parts.last)
    #expect(code.tag == 0x8E && parts.dropLast().last?.tag == 0x99)
    #expect(try Array(code.value) == mac([], Array(answer.data.dropLast(10))))
    guard let sealed = parts.first(where: { $0.tag == 0x87 || $0.tag == 0x85 }) else { return ([], answer.status) }
    #expect(sealed.tag == (isOdd ? 0x85 : 0x87))
    let plain = try decrypt(sealed.tag == 0x87 ? sealed.value.dropFirst() : sealed.value)
    return (try #require(Padding.unpad(plain)), answer.status)
  }

  private mutating func transmit(_ header: [UInt8], _ data: [UInt8], _ expected: Int?) throws -> Answer {
    let command = CommandAPDU(
      cla: header[0], ins: header[1], p1: header[2], p2: header[3], data: data, expectedLength: expected)
    var whole: [UInt8] = []
    var answer = try ResponseAPDU(chip.process(command.encoded()))
    while answer.status.sw1 == 0x61 {
      whole += answer.data
      answer = try ResponseAPDU(chip.process([header[0] & ~0x0C, 0xC0, 0x00, 0x00, answer.status.sw2]))
    }
    return (whole + answer.data, answer.status.description)
  }

  // MARK: - Secure messaging

  private mutating func advance() {
    for index in counter.indices.reversed() {
      counter[index] &+= 1
      if counter[index] != 0 { return }
    }
  }

  private func encrypt(_ blocks: [UInt8]) throws -> [UInt8] {
    guard let keys else { return [] }
    guard keys.cipher != .tripleDES else { return try TripleDES(key: keys.encryption).encrypt(blocks) }
    let cipher = try CardAES(key: keys.encryption)
    return try cipher.encrypt(blocks, vector: cipher.encrypt(counter))
  }

  private func decrypt(_ blocks: ArraySlice<UInt8>) throws -> [UInt8] {
    guard let keys else { return [] }
    guard keys.cipher != .tripleDES else { return try TripleDES(key: keys.encryption).decrypt(blocks) }
    let cipher = try CardAES(key: keys.encryption)
    return try cipher.decrypt(blocks, vector: cipher.encrypt(counter))
  }

  private func mac(_ head: [UInt8], _ objects: [UInt8]) throws -> [UInt8] {
    guard let keys else { return [] }
    if keys.cipher == .tripleDES { return try RetailMAC(key: keys.authentication).mac(counter + head + objects) }
    let padded = objects.isEmpty ? [] : Padding.pad(objects, to: 16)
    return Array(try CardAES(key: keys.authentication).cmac(counter + head + padded).prefix(8))
  }

  private mutating func start(_ secret: SecretBytes, _ cipher: KeyDerivation.Cipher, counter: [UInt8]? = nil) throws {
    keys = (
      cipher, try KeyDerivation.derive(secret, .encryption, for: cipher),
      try KeyDerivation.derive(secret, .authentication, for: cipher)
    )
    self.counter = counter ?? [UInt8](repeating: 0, count: cipher.blockSize)
  }

  // MARK: - Access control

  mutating func selectApplication() throws -> String {
    try send([0x00, 0xA4, 0x04, 0x0C], ElementaryFile.application).status
  }

  mutating func selectMasterFile() throws { _ = try send([0x00, 0xA4, 0x00, 0x0C], [0x3F, 0x00]) }

  mutating func basicAccess() throws -> String {
    let seed = try #require(chip.files.mrzInformation).keySeed()
    let cipher = try TripleDES(key: KeyDerivation.derive(seed, .encryption, for: .tripleDES))
    let challenge = try send([0x00, 0x84, 0x00, 0x00], [], 8).data
    let (nonce, share) = (try RandomBytes.make(8), try RandomBytes.make(16))
    let cryptogram = try cipher.encrypt(nonce + challenge + share)
    let code = try RetailMAC(key: KeyDerivation.derive(seed, .authentication, for: .tripleDES)).mac(cryptogram)
    let answer = try send([0x00, 0x82, 0x00, 0x00], cryptogram + code, 40)
    guard answer.status == "9000" else { return answer.status }
    let other = try cipher.decrypt(answer.data.prefix(32)).suffix(16)
    try start(
      SecretBytes(zip(share, other).map { $0 ^ $1 }), .tripleDES, counter: challenge.suffix(4) + nonce.suffix(4))
    return answer.status
  }

  /// - Returns: The status of the step that failed, or of the last one.
  mutating func pace(
    _ offer: PACEOffer, _ password: CardPassword = .mrz, secret: [UInt8]? = nil, chosen: inout String
  ) throws -> String {
    chosen = try send(
      [0x00, 0x22, 0xC1, 0xA4],
      BERTLV.encode(0x80, offer.objectIdentifier) + BERTLV.encode(0x83, [password.rawValue])
        + BERTLV.encode(0x84, [UInt8(offer.parameterIdentifier)])
    ).status
    guard chosen == "9000" || chosen.hasPrefix("63C") else { return chosen }
    let zone = try DataGroup1(try #require(chip.files[.dg1])).zone.get()
    let standard =
      password == .mrz
      ? try HashAlgorithm.sha1.digest(of: Array(try #require(CardPasswords.information(zone)).utf8))
      : Array((chip.profile.cardAccessNumber ?? "").utf8)
    let key = try KeyDerivation.derive(SecretBytes(secret ?? standard), .password, for: offer.cipher)

    func object(_ answer: Answer, _ tag: UInt32) throws -> [UInt8] {
      let objects = try BERTLV.sequence(BERTLV.value(of: 0x7C, in: answer.data[...]))
      return Array(try #require(objects.first { $0.tag == tag }).value)
    }
    func step(_ terminal: inout TestTerminal, _ tag: UInt32?, _ value: [UInt8], isLast: Bool = false) throws -> Answer {
      let content = tag.map { BERTLV.encode($0, value) } ?? []
      return try terminal.send([isLast ? 0x00 : 0x10, 0x86, 0, 0], BERTLV.encode(0x7C, content), 256)
    }
    let first = try step(&self, nil, [])
    guard first.status == "9000" else { return first.status }
    let encrypted = try object(first, 0x80)
    let nonce =
      offer.cipher == .tripleDES
      ? try TripleDES(key: key).decrypt(encrypted) : try CardAES(key: key).decrypt(encrypted)
    let group = try offer.parameters.group()
    let generator: [UInt8]
    var mappingKey: [UInt8] = []
    if offer.mapping == .integrated {
      let own = try RandomBytes.make(offer.cipher.keyLength)
      let answer = try step(&self, 0x81, own)
      #expect(answer.data == [0x7C, 0x02, 0x82, 0x00])
      generator = try CardPACEMapping.integrated(group, cipher: offer.cipher, nonce: nonce, terminalNonce: own)
    } else {
      let own = try group.randomExponent()
      let answer = try step(&self, 0x81, group.encoded(group.publicKey(of: own)))
      guard answer.status == "9000" else { return answer.status }
      mappingKey = try object(answer, 0x82)
      generator = try CardPACEMapping.generic(group, nonce: nonce, shared: group.raise(mappingKey, to: own))
    }
    let own = try group.randomExponent()
    let publicKey = try group.encoded(group.raise(generator, to: own))
    let third = try step(&self, 0x83, publicKey)
    guard third.status == "9000" else { return third.status }
    let chipKey = try object(third, 0x84)
    let shared = group.secret(of: try group.raise(chipKey, to: own))
    let authentication = try KeyDerivation.derive(shared, .authentication, for: offer.cipher)
    func token(_ key: [UInt8]) throws -> [UInt8] {
      try CardCipher.mac(
        CardPACE.tokenInput(offer.objectIdentifier, key, group.kind), key: authentication, offer.cipher)
    }
    let last = try step(&self, 0x85, token(chipKey), isLast: true)
    guard last.status == "9000" else { return last.status }
    guard try object(last, 0x86) == token(publicKey) else { return "wrong token" }
    if offer.mapping == .chipAuthentication {
      let cipher = try CardAES(key: KeyDerivation.derive(shared, .encryption, for: offer.cipher))
      let vector = try cipher.encrypt([UInt8](repeating: 0xFF, count: 16))
      let data = try #require(Padding.unpad(try cipher.decrypt(object(last, 0x8A), vector: vector)))
      let promised = try group.publicKey(of: SpecimenKeys.mapping(offer.parameters, isClone: false))
      if try group.raise(promised, to: data) != mappingKey { return "clone" }
    }
    try start(shared, offer.cipher)
    chipIdentifier = try group.compressed(chipKey)
    return last.status
  }

  mutating func pace(_ offer: PACEOffer, _ password: CardPassword = .mrz, secret: [UInt8]? = nil) throws -> String {
    var chosen = ""
    return try pace(offer, password, secret: secret, chosen: &chosen)
  }

  // MARK: - Chip Authentication

  /// - Returns: `Comp` of the terminal's public key; nil if the chip refused.
  mutating func authenticateChip(_ offer: ChipAuthenticationOffer, template: Bool = false) throws -> [UInt8]? {
    let group = try offer.parameters.group()
    let promised = try group.publicKey(of: SpecimenKeys.chipAuthentication(offer, isClone: false))
    let own = try group.randomExponent()
    let publicKey = try group.publicKey(of: own)
    let reference = offer.keyIdentifier.map { BERTLV.encode(0x84, [UInt8($0)]) } ?? []
    if template {
      let answer = try send([0x00, 0x22, 0x41, 0xA6], BERTLV.encode(0x91, publicKey) + reference)
      guard answer.status == "9000", answer.data.isEmpty else { return nil }
    } else {
      guard
        try send([0x00, 0x22, 0x41, 0xA4], BERTLV.encode(0x80, offer.objectIdentifier) + reference).status == "9000"
      else { return nil }
      let answer = try send([0x00, 0x86, 0, 0], BERTLV.encode(0x7C, BERTLV.encode(0x80, publicKey)), 256)
      guard answer.status == "9000", answer.data == [0x7C, 0x00] else { return nil }
    }
    try start(group.secret(of: group.raise(promised, to: own)), offer.cipher)
    return try group.compressed(publicKey)
  }

  // MARK: - Files

  /// Reads a whole file by its short identifier and then by offsets.
  mutating func read(_ shortIdentifier: UInt8, block: Int = 200) throws -> [UInt8] {
    var answer = try send([0x00, 0xB0, 0x80 | shortIdentifier, 0x00], [], block)
    guard answer.status == "9000" || answer.status == "6282" else { return [] }
    var file = answer.data
    while answer.status == "9000", let header = try? BERTLV.header(of: file[...]), file.count < header.totalLength {
      if file.count < 0x8000 {
        answer = try send([0x00, 0xB0, UInt8(file.count >> 8), UInt8(file.count & 0xFF)], [], block)
        file += answer.data
      } else {
        let offset = BERTLV.encode(
          0x54, [UInt8(file.count >> 16), UInt8(file.count >> 8 & 0xFF), UInt8(file.count & 0xFF)])
        answer = try send([0x00, 0xB1, 0x00, 0x00], offset, block)
        file += try BERTLV.value(of: 0x53, in: answer.data[...])
      }
    }
    return file
  }
}
