import TesseraCryptography
import TesseraPassport
import TesseraSmartCard

/// The software chip of a passport: processes command APDUs and returns response APDUs. `VirtualCard` connects it to a
/// reader.
public struct Chip {
  package let profile: ChipProfile
  package let files: ChipFiles
  let access: CardBasicAccess?
  let passwords: CardPasswords
  let masterFiles: [CardFile]
  let applicationFiles: [CardFile]
  /// The document number with its check digit, the chip identifier after BAC (BSI TR-03110-3, A.2.4).
  let documentNumber: [UInt8]

  /// The remaining attempts of the passwords with a retry counter. `reset` keeps them.
  var remainingTries: [CardPassword: Int]
  var state = State()
  /// The number of commands since the chip was made.
  private var commandCount = 0
  /// Instruction and parameters of the commands that are refused from now on.
  private var refusedHeader: [UInt8]?
  /// Fixed values instead of random ones in PACE, for known-answer tests.
  var ephemerals: CardPACE.Ephemerals?
  /// Private keys for Chip Authentication by key identifier (-1 for none), for known-answer tests.
  var chipKeys: [Int: [UInt8]] = [:]

  /// The volatile state, which `reset` clears.
  struct State {
    var isApplicationSelected = false
    /// Whether another application is selected than the master file and the eMRTD application.
    var isOtherApplicationSelected = false
    var selectionTime: ContinuousClock.Instant?
    var currentFile: CardFile?
    /// Whether a short file identifier, and not SELECT, selected the current file.
    var isSelectedByShortIdentifier = false
    var challenge: [UInt8]?
    var session = Session()
    /// The session that starts after the response to the current command.
    var nextSession: Session?
    var pace: PACERun?
    /// Data of an incomplete command chain.
    var chain: (header: [UInt8], data: [UInt8])?
    /// Data of a protected command that arrived in parts.
    var pieces: [UInt8] = []
    /// The remaining response data and the status, for GET RESPONSE.
    var rest: ResponseAPDU?
    /// Whether the response to the current command is sent in plain and ends the session.
    var endsSession = false
  }

  /// The state of one secure messaging session.
  struct Session {
    var messaging: CardSecureMessaging?
    /// The password of PACE; nil after BAC.
    var password: CardPassword?
    /// `ID_PICC` of Terminal Authentication.
    var chipIdentifier: [UInt8] = []
    /// The key that MSE:Set AT selected.
    var chipAuthentication: ChipAuthenticationOffer?
    var isChipKeyNamed = false
    /// `Comp(PK)` of the terminal's key in Chip Authentication, or in PACE with Chip Authentication Mapping; nil
    /// before.
    var terminalKey: [UInt8]?
    var terminal: CardTerminalAuthentication?
    /// The effective rights after Terminal Authentication.
    var rights: UInt8 = 0
  }

  /// - Throws: `ChipFilesError.noKey` if the profile requires Basic Access Control and DG1 contains no key.
  public init(profile: ChipProfile, files: ChipFiles) throws {
    // The files of a document say what a reader will ask of the chip.
    let profile = profile.offering(try? files[.cardAccess].map { try SecurityInfos($0).pace } ?? [])
    self.profile = profile
    self.files = files
    if profile.requiresBasicAccessControl {
      guard let key = files.mrzInformation else { throw ChipFilesError.noKey }
      access = try CardBasicAccess(keySeed: key.keySeed())
    } else {
      access = nil
    }
    let zone = files[.dg1].flatMap { try? DataGroup1($0).zone.get() }
    passwords = try CardPasswords(mrz: zone, cardAccessNumber: profile.cardAccessNumber)
    documentNumber = Array((zone.flatMap(CardPasswords.information) ?? "").dropLast(14).utf8)
    masterFiles = try CardFile.masterFiles(files, profile)
    applicationFiles = CardFile.applicationFiles(files, profile)
    remainingTries = profile.tries.mapValues(\.limit)
    reset()
  }

  /// Card capabilities: selection by full name; one byte data units; extended Lc and Le, and chaining, or not
  /// (ISO/IEC 7816-4, 8.1.1.2.7).
  static func capabilities(of profile: ChipProfile) -> [UInt8] {
    [0x80, 0x21, (profile.announcesExtendedLength ? 0x40 : 0) | (profile.announcesChaining ? 0x80 : 0)]
  }

  /// The answer to reset that a contactless reader returns for this chip (PC/SC part 3, 3.1.3.2.3.1).
  package var answerToReset: AnswerToReset {
    AnswerToReset.contactless(historicalBytes: [0x80, 0x73] + Self.capabilities(of: profile))
  }

  /// Clears the volatile state, as at power-up.
  public mutating func reset() {
    state = State()
    state.isOtherApplicationSelected = profile.quirks.hasOtherApplication
  }

  /// Processes one command APDU and returns the response APDU.
  public mutating func process(_ bytes: [UInt8]) -> [UInt8] {
    guard let command = CardCommand(bytes) else { return ResponseAPDU(status: .wrongLength).encoded }
    guard !command.isExtended || profile.acceptsExtendedLength else {
      return ResponseAPDU(status: .wrongLength).encoded
    }
    if command.ins == 0xC0, let rest = state.rest {
      return deliver(rest, to: command).encoded
    }
    state.rest = nil
    let interruption = interruption(of: command)
    let response =
      command.cla & 0x0C == 0x0C ? protected(command, interruption) : plain(command, interruption)
    return deliver(response, to: command).encoded
  }

  /// How this command is refused instead of being executed; nil if it is executed.
  private mutating func interruption(of command: CardCommand) -> ChipQuirks.Refusal? {
    defer { commandCount += 1 }
    guard let interruption = profile.quirks.interruption else { return nil }
    let header = Array(command.header.dropFirst())
    if commandCount == interruption.command {
      if interruption.isPermanent { refusedHeader = header }
      return interruption.refusal
    }
    return refusedHeader == header ? interruption.refusal : nil
  }

  /// Leaves response data beyond `Le` for GET RESPONSE (ISO/IEC 7816-4, 5.3.4).
  private mutating func deliver(_ response: ResponseAPDU, to command: CardCommand) -> ResponseAPDU {
    let expected = command.expectedLength ?? 256
    let wanted = profile.quirks.splitsLongResponses ? min(expected, 256) : expected
    guard response.data.count > wanted, profile.fault != .longAnswers else {
      state.rest = nil
      return response
    }
    let rest = Array(response.data.dropFirst(wanted))
    state.rest = ResponseAPDU(data: rest, status: response.status)
    return ResponseAPDU(
      data: Array(response.data.prefix(wanted)), status: StatusWord(0x6100 | UInt16(rest.count > 255 ? 0 : rest.count)))
  }

  private mutating func plain(_ command: CardCommand, _ interruption: ChipQuirks.Refusal?) -> ResponseAPDU {
    // A plain command ends secure messaging (Doc 9303-11, 9.8.3).
    state.session = Session()
    state.pieces = []
    if let interruption { return ResponseAPDU(status: StatusWord(interruption.status)) }
    let response = chained(command, limit: profile.responseLimit)
    if let next = state.nextSession { state.session = next }
    state.nextSession = nil
    return response
  }

  private mutating func protected(_ command: CardCommand, _ interruption: ChipQuirks.Refusal?) -> ResponseAPDU {
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
      if let interruption, interruption.isPlain { return refuse(StatusWord(interruption.status)) }
      if let refusal = profile.refusals.plainCommonData, concerns(.com, plain) {
        return refuse(StatusWord(refusal))
      }
      let wanted = profile.fault == .longAnswers ? profile.responseLimit : command.expectedLength ?? 256
      let limit = min(wanted, profile.responseLimit)
      state.endsSession = false
      var answer =
        interruption.map { ResponseAPDU(status: StatusWord($0.status)) }
        ?? profile.quirks.instructions[plain.ins].map { ResponseAPDU(status: StatusWord($0)) }
        ?? chained(plain, limit: messaging.capacity(of: limit))
      if state.endsSession { return refuse(answer.status) }
      if answer.data.count > messaging.capacity(of: limit), profile.acceptsExtendedLength {
        // Real documents do the same. A document without extended length has to use GET RESPONSE.
        answer = ResponseAPDU(status: .wrongLength)
      }
      let outer = profile.quirks.outerStatus.map { StatusWord($0) }
      let response = try messaging.close(
        answer, ins: plain.ins, outerStatus: outer, statusFirst: profile.quirks.sendsStatusFirst)
      state.session.messaging = messaging
      if let next = state.nextSession { state.session = next }
      state.nextSession = nil
      return response
    } catch {
      return refuse((error as? CardSecureMessaging.Refusal)?.status ?? .unspecifiedError)
    }
  }

  /// Ends the session with this status.
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

  /// Larger than any command of a travel document, even with a certificate.
  private static let longestCommand = 1 << 16

  private mutating func chained(_ command: CardCommand, limit: Int) -> ResponseAPDU {
    guard command.cla & 0xE0 == 0 else { return ResponseAPDU(status: .classNotSupported) }
    var data = command.data
    if let chain = state.chain {
      state.chain = nil
      // A command with a different header ends the chain.
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

  /// Whether the chaining bit means that another step of PACE follows (Doc 9303-11, 4.4.4.2), and not that data are
  /// missing.
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
  /// The profile with these variants of PACE in addition to its own.
  fileprivate func offering(_ infos: [PACEInfo]?) -> ChipProfile {
    guard hasAccessControl else { return self }
    var profile = self
    for offer in (infos ?? []).compactMap({ PACEOffer($0) })
    where !pace.contains(where: { $0.objectIdentifier == offer.objectIdentifier }) {
      profile.pace.append(offer)
    }
    return profile
  }

  /// Whether the chip accepts commands with extended length fields.
  var acceptsExtendedLength: Bool { announcesExtendedLength && fault != .refusedExtendedLength }

  /// Whether the chip has EF.ATR/INFO and EF.DIR.
  var hasInformationFiles: Bool { announcesChaining && (announcesExtendedLength || !pace.isEmpty) }
}

extension StatusWord {
  static let referencedDataNotFound = StatusWord(0x6A88)
  static let authenticationMethodBlocked = StatusWord(0x6983)
  static let lastCommandOfChainExpected = StatusWord(0x6883)

  /// 63Cx: the number of remaining attempts.
  static func triesLeft(_ count: Int) -> StatusWord { StatusWord(0x63C0 | UInt16(min(max(count, 0), 15))) }
}
