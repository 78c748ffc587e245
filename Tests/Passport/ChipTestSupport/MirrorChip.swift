internal import TesseraCryptography
internal import TesseraPassport
package import TesseraSmartCard

/// A chip that uses the reader's own functions for the other side of each protocol. It tests the order of the steps;
/// their cryptography is tested with published vectors.
package actor MirrorChip: CardChannel {
  /// A deviation from a conforming chip.
  package enum Fault { case none, otherChipKey, noAccessFile, forgetsCardSecurity }

  private let masterFiles: [UInt8: [UInt8]]
  private let files: [UInt8: [UInt8]]
  private let password: AccessKey
  private let choice: PACEChoice
  private let chipKey: SecretBytes?
  private let fault: Fault
  /// The most bytes that the chip delivers at once, whatever is requested.
  private let longestBlock: Int

  private var inApplication = false
  private var currentFile: [UInt8] = []
  private var nonce = SecretBytes([])
  private var generator: [UInt8] = []
  private var readerToken: [UInt8] = []
  private var finalAnswer: [UInt8] = []
  private var pending: SessionKeys?
  private var link: Link?
  package private(set) var commands: [[UInt8]] = []

  /// The secure messaging of the chip.
  private struct Link {
    let suite: any ProtectionSuite
    var counter: [UInt8]

    init(_ keys: SessionKeys) throws {
      suite = try keys.protectionSuite()
      counter = [UInt8](repeating: 0, count: suite.blockSize)
    }

    private mutating func count() {
      for index in counter.indices.reversed() {
        counter[index] &+= 1
        if counter[index] != 0 { return }
      }
    }

    /// nil for a command with a wrong MAC.
    mutating func open(_ command: CommandAPDU) throws -> CommandAPDU? {
      count()
      let objects = try BERTLV.sequence(command.data[...])
      guard let mac = objects.last, mac.tag == 0x8E else { return nil }
      let size = suite.blockSize
      var covered = counter + Padding.pad([command.cla, command.ins, command.p1, command.p2], to: size)
      if objects.count > 1 { covered += Padding.pad(command.data.dropLast(mac.value.count + 2), to: size) }
      guard try suite.mac(padded: covered) == Array(mac.value) else { return nil }
      var plain = CommandAPDU(ins: command.ins, p1: command.p1, p2: command.p2)
      if let length = objects.first(where: { $0.tag == 0x97 }) {
        let value = length.value.reduce(0) { $0 << 8 | Int($1) }
        plain.expectedLength = value > 0 ? value : length.value.count == 1 ? 256 : 65_536
      }
      if let cryptogram = objects.first(where: { $0.tag == 0x87 || $0.tag == 0x85 }) {
        let blocks = cryptogram.tag == 0x87 ? cryptogram.value.dropFirst() : cryptogram.value
        plain.data = Padding.unpad(try suite.decrypt(blocks, counter: counter)) ?? []
      }
      return plain
    }

    mutating func close(_ answer: ResponseAPDU) throws -> [UInt8] {
      count()
      var objects: [UInt8] = []
      if !answer.data.isEmpty {
        let blocks = try suite.encrypt(Padding.pad(answer.data, to: suite.blockSize), counter: counter)
        objects += BERTLV.encode(0x87, [1] + blocks)
      }
      objects += BERTLV.encode(0x99, [answer.status.sw1, answer.status.sw2])
      let mac = try suite.mac(padded: Padding.pad(counter + objects, to: suite.blockSize))
      return objects + BERTLV.encode(0x8E, mac) + [answer.status.sw1, answer.status.sw2]
    }
  }

  init(
    masterFiles: [ElementaryFile: [UInt8]], files: [ElementaryFile: [UInt8]], password: AccessKey,
    choice: PACEChoice, chipKey: SecretBytes?, fault: Fault = .none, longestBlock: Int = .max
  ) {
    func bySFI(_ list: [ElementaryFile: [UInt8]]) -> [UInt8: [UInt8]] {
      list.reduce(into: [:]) { $0[$1.key.shortIdentifier] = $1.value }
    }
    self.masterFiles = bySFI(masterFiles)
    self.files = bySFI(files)
    self.password = password
    self.choice = choice
    self.chipKey = chipKey
    self.fault = fault
    self.longestBlock = longestBlock
  }

  package func transmit(_ bytes: [UInt8]) throws -> [UInt8] {
    commands.append(bytes)
    let command = CommandAPDU(fixture: bytes)
    guard command.cla & 0x0C == 0x0C, var link else {
      // A plain command ends secure messaging.
      self.link = nil
      return try answer(command).encoded
    }
    guard let plain = try link.open(command) else {
      self.link = nil
      return [0x69, 0x88]
    }
    let response = try answer(plain)
    let protected = try link.close(response)
    self.link = link
    if let keys = pending {
      pending = nil
      self.link = try Link(keys)
    }
    return protected
  }

  private func answer(_ command: CommandAPDU) throws -> ResponseAPDU {
    switch (command.ins, command.p1, command.p2) {
    case (0xA4, 0x04, _):
      inApplication = true
      return ResponseAPDU(status: .success)
    case (0xA4, 0x00, _):
      inApplication = false
      return ResponseAPDU(status: .success)
    case (0xB0, _, _): return read(command)
    case (0x22, 0xC1, 0xA4): return ResponseAPDU(status: .success)
    case (0x22, 0x41, 0xA4): return ResponseAPDU(status: chipKey == nil ? .instructionNotSupported : .success)
    case (0x86, _, _): return try authenticate(command)
    default: return ResponseAPDU(status: .instructionNotSupported)
    }
  }

  private func read(_ command: CommandAPDU) -> ResponseAPDU {
    var offset = Int(command.p1) << 8 | Int(command.p2)
    if command.p1 & 0x80 != 0 {
      guard let file = (inApplication ? files : masterFiles)[command.p1 & 0x1F] else {
        return ResponseAPDU(status: .fileNotFound)
      }
      let isOpen = !inApplication && command.p1 & 0x1F == 0x1C
      guard isOpen || link != nil else { return ResponseAPDU(status: .securityStatusNotSatisfied) }
      currentFile = file
      offset = 0
    }
    guard offset < currentFile.count else { return ResponseAPDU(status: .offsetBeyondFile) }
    return ResponseAPDU(
      data: Array(currentFile[offset...].prefix(min(command.expectedLength ?? 0, longestBlock))), status: .success)
  }

  /// The steps of PACE by their tags, and Chip Authentication.
  private func authenticate(_ command: CommandAPDU) throws -> ResponseAPDU {
    let group = choice.group
    let objects = try BERTLV.sequence(BERTLV.value(of: 0x7C, in: command.data[...]))
    func success(_ tag: UInt32, _ value: [UInt8]) -> ResponseAPDU {
      ResponseAPDU(data: BERTLV.encode(0x7C, BERTLV.encode(tag, value)), status: .success)
    }
    guard let object = objects.first else {
      nonce = try RandomBytes.makeSecret(16)
      let key = try PACE.passwordKey(password, for: choice.pace.cipher)
      let z = try AES(key: key).encryptSecret(nonce, initialisationVector: AES.zeroVector)
      return success(0x80, z.withUnsafeBytes { Array($0) })
    }
    let value = Array(object.value)
    switch object.tag {
    case 0x80:
      guard let chipKey else { return ResponseAPDU(status: .wrongData) }
      let key = fault == .otherChipKey ? try group.makePrivateKey() : chipKey
      pending = try SessionKeys(
        cipher: choice.pace.cipher, sharedSecret: group.sharedSecret(privateKey: key, with: value))
      return ResponseAPDU(data: [0x7C, 0], status: .success)
    case 0x81:
      let key = try group.makePrivateKey()
      let publicKey = try group.multiply(group.generator, by: key)
      generator = try PACE(pace: choice.pace, group: group).genericGenerator(
        nonce: nonce, privateKey: key, publicKey: publicKey, chipKey: value)
      return success(0x82, publicKey)
    case 0x83:
      let key = try group.makePrivateKey()
      let publicKey = try group.multiply(generator, by: key)
      let agreement = try PACE(pace: choice.pace, group: group).agreement(
        privateKey: key, publicKey: publicKey, chipKey: value)
      (readerToken, finalAnswer) = (agreement.chipToken, agreement.readerToken)
      pendingLink = agreement.keys
      return success(0x84, publicKey)
    case 0x85:
      guard value == readerToken, let keys = pendingLink else { return ResponseAPDU(status: .authenticationFailed) }
      link = try Link(keys)
      return success(0x86, finalAnswer)
    default: return ResponseAPDU(status: .wrongData)
    }
  }

  private var pendingLink: SessionKeys?
}

extension CommandAPDU {
  /// A command of a fixture, in any of its forms.
  package init(fixture bytes: [UInt8]) {
    self.init(cla: bytes[0], ins: bytes[1], p1: bytes[2], p2: bytes[3])
    let body = Array(bytes.dropFirst(4))
    func number(_ digits: ArraySlice<UInt8>) -> Int { digits.reduce(0) { $0 << 8 | Int($1) } }
    func expected(_ digits: ArraySlice<UInt8>) -> Int? {
      guard !digits.isEmpty else { return nil }
      let value = number(digits)
      return value > 0 ? value : digits.count == 1 ? 256 : 65_536
    }
    if body.isEmpty { return }
    if body.count == 1 {
      expectedLength = expected(body[...])
    } else if body[0] == 0, body.count == 3 {
      expectedLength = expected(body[1...])
    } else if body[0] == 0 {
      let count = number(body[1...2])
      data = Array(body[3..<3 + count])
      expectedLength = expected(body[(3 + count)...])
    } else {
      let count = Int(body[0])
      data = Array(body[1...count])
      expectedLength = expected(body[(1 + count)...])
    }
  }
}
