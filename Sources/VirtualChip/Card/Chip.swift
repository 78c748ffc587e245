import Cryptography
import Passport
import SmartCard

/// The software chip: command APDU in, response APDU out. A value that never touches a channel.
public struct Chip {
  public let profile: ChipProfile
  public let files: ChipFiles
  let access: CardBasicAccess?
  let passwords: CardPasswords
  let masterFiles: [CardFile]
  let applicationFiles: [CardFile]
  /// The document number with its check digit, which names the chip after BAC (BSI TR-03110-3, A.2.4).
  let documentNumber: [UInt8]

  /// What is left of the passwords that are counted; it survives power.
  var remainingTries: [CardPassword: Int]
  var state = State()
  /// What PACE is to throw instead of dice; for known answers.
  var ephemerals: CardPACE.Ephemerals?
  /// Exponents for Chip Authentication by key identifier (-1 for none) instead of the specimen's; for known answers.
  var chipKeys: [Int: [UInt8]] = [:]

  /// Everything that power-down forgets.
  struct State {
    var isApplicationSelected = false
    var currentFile: CardFile?
    var isNamedByShortIdentifier = false
    var challenge: [UInt8]?
    var session = Session()
    /// The session that begins after the response to the current command.
    var nextSession: Session?
    var pace: PACERun?
    /// Data of a chain of commands that is not complete.
    var chain: (header: [UInt8], data: [UInt8])?
    /// Data of a protected command that came in pieces.
    var pieces: [UInt8] = []
    /// What is left of a response, and its status, for GET RESPONSE.
    var rest: ResponseAPDU?
  }

  /// What lasts as long as secure messaging does.
  struct Session {
    var messaging: CardSecureMessaging?
    /// How it was opened.
    var password: CardPassword?
    /// What Terminal Authentication knows the chip by.
    var chipIdentifier: [UInt8] = []
    /// The key that MSE:Set AT has chosen.
    var chipAuthentication: ChipAuthenticationOffer?
    /// `Comp(PK)` of the terminal's key in Chip Authentication, or in PACE with Chip Authentication Mapping; nil before.
    var terminalKey: [UInt8]?
    var terminal: CardTerminalAuthentication?
    /// The rights of a terminal that has proved them.
    var rights: UInt8 = 0
  }

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
    let zone = files[.dg1].flatMap { try? DataGroup1($0) }?.zone
    passwords = try CardPasswords(mrz: zone, cardAccessNumber: profile.cardAccessNumber)
    documentNumber = Array((zone.flatMap(CardPasswords.information) ?? "").dropLast(14).utf8)
    masterFiles = try CardFile.masterFiles(files, profile)
    applicationFiles = CardFile.applicationFiles(files, profile)
    remainingTries = profile.tries.mapValues(\.limit)
  }

  /// Card capabilities: selection by full name; one byte data units; extended Lc and Le, and chaining, or not
  /// (ISO/IEC 7816-4, 8.1.1.2.7).
  static func capabilities(of profile: ChipProfile) -> [UInt8] {
    [0x80, 0x21, (profile.announcesExtendedLength ? 0x40 : 0) | (profile.announcesChaining ? 0x80 : 0)]
  }

  /// The answer to reset that a contactless reader would make of this chip (PC/SC part 3, 3.1.3.2.3.1).
  public var answerToReset: AnswerToReset {
    AnswerToReset.contactless(historicalBytes: [0x80, 0x73] + Self.capabilities(of: profile))
  }

  /// Power-up: everything volatile is forgotten.
  public mutating func reset() { state = State() }

  /// Answers one command.
  public mutating func process(_ bytes: [UInt8]) -> [UInt8] {
    guard let command = CardCommand(bytes) else { return ResponseAPDU(status: .wrongLength).encoded }
    guard !command.isExtended || profile.takesExtendedLength else {
      return ResponseAPDU(status: .wrongLength).encoded
    }
    if command.ins == 0xC0, let rest = state.rest {
      return deliver(rest, to: command).encoded
    }
    state.rest = nil
    let response = command.cla & 0x0C == 0x0C ? protected(command) : plain(command)
    return deliver(response, to: command).encoded
  }

  /// What is longer than the terminal takes is left for GET RESPONSE (ISO/IEC 7816-4, 5.3.4).
  private mutating func deliver(_ response: ResponseAPDU, to command: CardCommand) -> ResponseAPDU {
    let wanted = command.expectedLength ?? 256
    guard response.data.count > wanted, profile.fault != .longAnswers else {
      state.rest = nil
      return response
    }
    let rest = Array(response.data.dropFirst(wanted))
    state.rest = ResponseAPDU(data: rest, status: response.status)
    return ResponseAPDU(
      data: Array(response.data.prefix(wanted)), status: StatusWord(0x6100 | UInt16(rest.count > 255 ? 0 : rest.count)))
  }

  private mutating func plain(_ command: CardCommand) -> ResponseAPDU {
    // A plain command ends secure messaging (Doc 9303-11, 9.8.3).
    state.session = Session()
    state.pieces = []
    let response = chained(command, limit: profile.responseLimit)
    if let next = state.nextSession { state.session = next }
    state.nextSession = nil
    return response
  }

  private mutating func protected(_ command: CardCommand) -> ResponseAPDU {
    guard var messaging = state.session.messaging else { return ResponseAPDU(status: .secureMessagingNotSupported) }
    if command.cla & 0x10 != 0, !CardSecureMessaging.isWhole(command) {
      state.pieces += command.data
      guard state.pieces.count <= Self.longestCommand else { return refuse(.wrongLength) }
      return ResponseAPDU(status: .success)
    }
    let whole = CardCommand(
      header: command.header, data: state.pieces + command.data, expectedLength: command.expectedLength,
      isExtended: command.isExtended)
    state.pieces = []
    do {
      let plain = try messaging.open(whole)
      if let refusal = profile.refusals.plainCommonData, concerns(.com, plain) {
        return refuse(StatusWord(refusal))
      }
      let wanted = profile.fault == .longAnswers ? profile.responseLimit : command.expectedLength ?? 256
      let limit = min(wanted, profile.responseLimit)
      var answer = chained(plain, limit: messaging.capacity(of: limit))
      if answer.data.count > messaging.capacity(of: limit), profile.takesExtendedLength {
        // As documents do. One that has short commands only has no other way than GET RESPONSE.
        answer = ResponseAPDU(status: .wrongLength)
      }
      let response = try messaging.close(answer, ins: plain.ins)
      state.session.messaging = messaging
      if let next = state.nextSession { state.session = next }
      state.nextSession = nil
      return response
    } catch {
      return refuse((error as? CardSecureMessaging.Refusal)?.status ?? .unspecifiedError)
    }
  }

  /// An answer that ends the session.
  private mutating func refuse(_ status: StatusWord) -> ResponseAPDU {
    state.session = Session()
    state.nextSession = nil
    state.pieces = []
    return ResponseAPDU(status: status)
  }

  private func concerns(_ file: ElementaryFile, _ command: CardCommand) -> Bool {
    switch command.ins {
    case 0xB0: command.p1 == 0x80 | file.shortIdentifier
    case 0xA4: command.data == [UInt8(file.identifier >> 8), UInt8(file.identifier & 0xFF)]
    default: false
    }
  }

  // MARK: - Command chaining (ISO/IEC 7816-4, 5.3.3)

  /// More than any command of travel documents needs, even with a certificate.
  private static let longestCommand = 1 << 16

  private mutating func chained(_ command: CardCommand, limit: Int) -> ResponseAPDU {
    guard command.cla & 0xE0 == 0 else { return ResponseAPDU(status: .classNotSupported) }
    var data = command.data
    if let chain = state.chain {
      state.chain = nil
      // Another command than the one begun ends the chain.
      if chain.header == Array(command.header.dropFirst()) { data = chain.data + data }
    }
    guard data.count <= Self.longestCommand else { return ResponseAPDU(status: .wrongLength) }
    let whole = CardCommand(
      header: command.header, data: data, expectedLength: command.expectedLength, isExtended: command.isExtended)
    guard command.cla & 0x10 != 0, !isStep(whole) else { return execute(whole, limit: limit) }
    if let refusal = profile.refusals.commandChaining { return ResponseAPDU(status: StatusWord(refusal)) }
    state.chain = (Array(command.header.dropFirst()), data)
    return ResponseAPDU(status: .success)
  }

  /// The class byte of GENERAL AUTHENTICATE in PACE says that more steps come, not that data are missing; unless they
  /// are.
  private func isStep(_ command: CardCommand) -> Bool {
    guard command.ins == 0x86, let header = try? BERTLV.header(of: command.data[...]) else { return false }
    return header.totalLength <= command.data.count
  }

  private mutating func execute(_ command: CardCommand, limit: Int) -> ResponseAPDU {
    switch command.ins {
    case 0xA4: select(command)
    case 0xB0, 0xB1: readBinary(command, limit: limit)
    case 0x84: getChallenge(command)
    case 0x82: externalAuthenticate(command)
    case 0x22: manageSecurityEnvironment(command)
    case 0x86: generalAuthenticate(command)
    case 0x88: internalAuthenticate(command)
    case 0x2A: performSecurityOperation(command)
    default: ResponseAPDU(status: .instructionNotSupported)
    }
  }
}

extension ChipProfile {
  /// Whether commands with extended length fields are taken.
  var takesExtendedLength: Bool { announcesExtendedLength && fault != .refusedExtendedLength }

  /// Whether the chip has EF.ATR/INFO and EF.DIR.
  var hasInformationFiles: Bool { announcesChaining && (announcesExtendedLength || !pace.isEmpty) }
}

extension StatusWord {
  static let referencedDataNotFound = StatusWord(0x6A88)
  static let authenticationMethodBlocked = StatusWord(0x6983)
  static let lastCommandOfChainExpected = StatusWord(0x6883)

  /// 63Cx: how many tries are left.
  static func triesLeft(_ count: Int) -> StatusWord { StatusWord(0x63C0 | UInt16(min(max(count, 0), 15))) }
}
