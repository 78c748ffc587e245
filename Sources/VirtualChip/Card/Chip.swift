import Cryptography
import Passport
import SmartCard

/// The software chip: command APDU in, response APDU out. A value that never touches a channel.
public struct Chip {
  public let profile: ChipProfile
  public let files: ChipFiles
  private let access: CardBasicAccess?

  private var isApplicationSelected = false
  private var currentFile: ElementaryFile?
  private var challenge: [UInt8]?
  private var secureMessaging: CardSecureMessaging?

  /// - Throws: `ChipFilesError.noKey` when the profile wants access control and DG1 yields no key.
  public init(profile: ChipProfile, files: ChipFiles) throws {
    self.profile = profile
    self.files = files
    if profile.requiresBasicAccessControl {
      guard let key = files.mrzInformation else { throw ChipFilesError.noKey }
      access = try CardBasicAccess(keySeed: key.keySeed())
    } else {
      access = nil
    }
  }

  /// The answer to reset that a contactless reader would make of this chip (PC/SC part 3, 3.1.3.2.3.1).
  public var answerToReset: AnswerToReset {
    // Category 80, then card capabilities: selection by full name; one byte data units; extended Lc and Le or not.
    let historical: [UInt8] = [0x80, 0x73, 0x80, 0x21, profile.responseLimit > 256 ? 0x40 : 0x00]
    let body = [0x80 | UInt8(historical.count), 0x80, 0x01] + historical
    return AnswerToReset([0x3B] + body + [body.reduce(0, ^)])
  }

  /// Power-up: everything volatile is forgotten.
  public mutating func reset() {
    isApplicationSelected = false
    currentFile = nil
    challenge = nil
    secureMessaging = nil
  }

  /// Answers one command.
  public mutating func process(_ bytes: [UInt8]) -> [UInt8] {
    guard let command = CardCommand(bytes) else { return ResponseAPDU(status: .wrongLength).encoded }
    guard command.cla & 0x0C == 0x0C else {
      // A plain command ends secure messaging (Doc 9303-11, 9.8.3).
      secureMessaging = nil
      return execute(command, limit: profile.responseLimit).encoded
    }
    return protected(command).encoded
  }

  private mutating func protected(_ command: CardCommand) -> ResponseAPDU {
    guard var session = secureMessaging else { return ResponseAPDU(status: .secureMessagingNotSupported) }
    do {
      let plain = try session.open(command)
      if let refusal = profile.refusals.plainCommonData, concerns(.com, plain) {
        secureMessaging = nil
        return ResponseAPDU(status: StatusWord(refusal))
      }
      let limit = min(command.expectedLength ?? 256, profile.responseLimit)
      let answer = execute(plain, limit: CardSecureMessaging.capacity(of: limit))
      let response = try session.close(answer, ins: plain.ins)
      secureMessaging = session
      return response
    } catch {
      secureMessaging = nil
      return ResponseAPDU(status: (error as? CardSecureMessaging.Refusal)?.status ?? .unspecifiedError)
    }
  }

  private func concerns(_ file: ElementaryFile, _ command: CardCommand) -> Bool {
    switch command.ins {
    case 0xB0: command.p1 == 0x80 | file.shortIdentifier
    case 0xA4: command.data == [UInt8(file.identifier >> 8), UInt8(file.identifier & 0xFF)]
    default: false
    }
  }

  private mutating func execute(_ command: CardCommand, limit: Int) -> ResponseAPDU {
    guard command.cla & 0xE0 == 0 else { return ResponseAPDU(status: .classNotSupported) }
    switch command.ins {
    case 0xA4: return select(command)
    case 0xB0, 0xB1: return readBinary(command, limit: limit)
    case 0x84: return getChallenge(command)
    case 0x82: return externalAuthenticate(command)
    default: return ResponseAPDU(status: .instructionNotSupported)
    }
  }

  // MARK: - SELECT (ISO/IEC 7816-4, 7.1.1)

  private mutating func select(_ command: CardCommand) -> ResponseAPDU {
    guard command.p2 & 0xF3 == 0 else { return ResponseAPDU(status: .incorrectParameters) }
    switch (command.p1, command.data) {
    case (0x04, ElementaryFile.application):
      isApplicationSelected = true
      currentFile = nil
      let information = BERTLV.encode(0x6F, BERTLV.encode(0x84, ElementaryFile.application))
      return ResponseAPDU(data: command.p2 == 0x0C ? [] : information, status: .success)
    case (0x00, []), (0x00, [0x3F, 0x00]):
      if let refusal = profile.refusals.masterFile { return ResponseAPDU(status: StatusWord(refusal)) }
      isApplicationSelected = false
      currentFile = nil
      return ResponseAPDU(status: .success)
    case (0x00, _), (0x02, _):
      guard command.data.count == 2 else { return ResponseAPDU(status: .wrongLength) }
      let identifier = UInt16(command.data[0]) << 8 | UInt16(command.data[1])
      return open(visibleFiles.first { $0.identifier == identifier })
    case (0x04, _): return ResponseAPDU(status: .fileNotFound)
    default: return ResponseAPDU(status: .incorrectParameters)
    }
  }

  /// The files of the current application or of the master file.
  private var visibleFiles: [ElementaryFile] {
    files.all.filter { ($0 == .cardAccess) != isApplicationSelected }
  }

  private mutating func open(_ file: ElementaryFile?) -> ResponseAPDU {
    guard let file else {
      let isCardAccess = !isApplicationSelected
      if isCardAccess, let refusal = profile.refusals.cardAccess { return ResponseAPDU(status: StatusWord(refusal)) }
      return ResponseAPDU(status: .fileNotFound)
    }
    guard mayRead(file) else { return ResponseAPDU(status: .securityStatusNotSatisfied) }
    currentFile = file
    return ResponseAPDU(status: .success)
  }

  private func mayRead(_ file: ElementaryFile) -> Bool {
    if file == .cardAccess { return true }
    // Fingers and irises want Terminal Authentication.
    if file.needsTerminalAuthentication { return false }
    return access == nil || secureMessaging != nil
  }

  // MARK: - READ BINARY (ISO/IEC 7816-4, 7.2.2)

  private mutating func readBinary(_ command: CardCommand, limit: Int) -> ResponseAPDU {
    var offset = Int(command.p1) << 8 | Int(command.p2)
    if command.ins == 0xB1 {
      guard offset == 0, let object = try? BERTLV.value(of: 0x54, in: command.data[...]), (1...4).contains(object.count)
      else { return ResponseAPDU(status: .wrongData) }
      offset = object.reduce(0) { $0 << 8 | Int($1) }
    } else if command.p1 & 0x80 != 0 {
      if let refusal = profile.refusals.shortFileIdentifiers { return ResponseAPDU(status: StatusWord(refusal)) }
      let opened = open(visibleFiles.first { $0.shortIdentifier == command.p1 & 0x1F })
      guard opened.status == .success else { return opened }
      offset = Int(command.p2)
    }
    guard let file = currentFile, let bytes = files[file] else { return ResponseAPDU(status: .noCurrentFile) }
    guard mayRead(file) else { return ResponseAPDU(status: .securityStatusNotSatisfied) }
    guard let wanted = command.expectedLength else { return ResponseAPDU(status: .wrongLength) }
    guard offset < bytes.count else { return ResponseAPDU(status: .offsetBeyondFile) }
    var room = min(wanted, limit)
    // The odd instruction wraps the bytes into an object, whose header counts.
    if command.ins == 0xB1 { room -= room < 0x82 ? 2 : room < 0x103 ? 3 : 4 }
    guard room > 0 else { return ResponseAPDU(status: .wrongLength) }
    let part = Array(bytes[offset..<min(offset + room, bytes.count)])
    // `Le = 00` asks for whatever there is; another length that reaches past the end earns a warning.
    let isShort = part.count < wanted && wanted != 256 && wanted != 65_536 && offset + part.count == bytes.count
    return ResponseAPDU(
      data: command.ins == 0xB1 ? BERTLV.encode(0x53, part) : part, status: isShort ? .endOfFile : .success)
  }

  // MARK: - Basic Access Control (Doc 9303-11, 4.3)

  private mutating func getChallenge(_ command: CardCommand) -> ResponseAPDU {
    guard access != nil, isApplicationSelected else { return ResponseAPDU(status: .instructionNotSupported) }
    guard command.expectedLength == 8 else { return ResponseAPDU(status: .wrongLength) }
    guard let nonce = try? RandomBytes.make(8) else { return ResponseAPDU(status: .unspecifiedError) }
    challenge = nonce
    return ResponseAPDU(data: nonce, status: .success)
  }

  private mutating func externalAuthenticate(_ command: CardCommand) -> ResponseAPDU {
    guard let access, isApplicationSelected else { return ResponseAPDU(status: .instructionNotSupported) }
    guard let nonce = challenge else { return ResponseAPDU(status: .conditionsNotSatisfied) }
    challenge = nil  // one try per challenge
    guard command.data.count == 40 else { return ResponseAPDU(status: .wrongLength) }
    do {
      let material = try RandomBytes.make(16)
      guard let result = try access.authenticate(command.data, challenge: nonce, keyingMaterial: material) else {
        return ResponseAPDU(status: .authenticationFailed)
      }
      secureMessaging = result.session
      return ResponseAPDU(data: result.response, status: .success)
    } catch {
      return ResponseAPDU(status: .unspecifiedError)
    }
  }
}
