import TesseraPassport
import TesseraSmartCard

/// SELECT and READ BINARY.
extension Chip {
  // MARK: - SELECT (ISO/IEC 7816-4, 7.1.1)

  mutating func select(_ command: CardCommand) -> ResponseAPDU {
    guard command.p2 & 0xF3 == 0, profile.quirks.selectionParameter.map({ $0 == command.p2 }) ?? true else {
      return ResponseAPDU(status: .incorrectParameters)
    }
    switch (command.p1, command.data) {
    case (0x04, ElementaryFile.application):
      state.isApplicationSelected = true
      state.isOtherApplicationSelected = false
      state.selectionTime = .now
      state.currentFile = nil
      let information = BERTLV.encode(0x6F, BERTLV.encode(0x84, ElementaryFile.application))
      // Without `Le` the terminal expects no data.
      let isRequested = command.p2 != 0x0C && command.expectedLength != nil
      return ResponseAPDU(data: isRequested ? information : [], status: .success)
    case (0x00, []), (0x00, [0x3F, 0x00]):
      if let refusal = profile.refusals.masterFile { return ResponseAPDU(status: StatusWord(refusal)) }
      state.isApplicationSelected = false
      state.isOtherApplicationSelected = false
      state.currentFile = nil
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
  private var visibleFiles: [CardFile] {
    if state.isOtherApplicationSelected { return [CardFile.ofOtherApplication] }
    return state.isApplicationSelected ? applicationFiles : masterFiles
  }

  private mutating func open(_ file: CardFile?) -> ResponseAPDU {
    guard let file else {
      let isCardAccess = !state.isApplicationSelected
      if isCardAccess, let refusal = profile.refusals.cardAccess { return ResponseAPDU(status: StatusWord(refusal)) }
      return ResponseAPDU(status: .fileNotFound)
    }
    guard mayRead(file) else { return ResponseAPDU(status: .securityStatusNotSatisfied) }
    state.currentFile = file
    state.isSelectedByShortIdentifier = false
    return ResponseAPDU(status: .success)
  }

  private func mayRead(_ file: CardFile) -> Bool {
    switch file.access {
    case .always: true
    case .accessControl: !profile.hasAccessControl || state.session.messaging != nil
    case .pace: state.session.password != nil
    case .terminal(let right): state.session.rights & right != 0
    }
  }

  // MARK: - READ BINARY (ISO/IEC 7816-4, 7.2.2)

  mutating func readBinary(_ command: CardCommand, limit: Int) -> ResponseAPDU {
    var offset = Int(command.p1) << 8 | Int(command.p2)
    if command.ins == 0xB1 {
      // P1-P2 selects a file: 0000 the current one, or a short identifier in the lowest five bits.
      if offset != 0 {
        guard offset <= 0x1E else { return ResponseAPDU(status: .incorrectParameters) }
        let opened = open(visibleFiles.first { Int($0.shortIdentifier) == offset })
        guard opened.status == .success else { return opened }
      }
      guard let object = try? BERTLV.value(of: 0x54, in: command.data[...]), (1...4).contains(object.count)
      else { return ResponseAPDU(status: .wrongData) }
      offset = object.reduce(0) { $0 << 8 | Int($1) }
    } else if command.p1 & 0x80 != 0 {
      if let refusal = profile.refusals.shortFileIdentifiers { return ResponseAPDU(status: StatusWord(refusal)) }
      if let refusal = profile.quirks.shortFileIdentifiers { return refuse(refusal) }
      let opened = open(visibleFiles.first { $0.shortIdentifier == command.p1 & 0x1F })
      guard opened.status == .success else { return opened }
      state.isSelectedByShortIdentifier = true
      offset = Int(command.p2)
    } else if state.isSelectedByShortIdentifier, let refusal = profile.refusals.offsets {
      return ResponseAPDU(status: StatusWord(refusal))
    }
    guard let file = state.currentFile else { return ResponseAPDU(status: .noCurrentFile) }
    guard mayRead(file) else { return ResponseAPDU(status: .securityStatusNotSatisfied) }
    guard let wanted = command.expectedLength else { return ResponseAPDU(status: .wrongLength) }
    let isOdd = command.ins == 0xB1
    if let refusal = refusal(of: file, at: offset, wanted: wanted, isOdd: isOdd) { return refuse(refusal) }
    guard file.isEndless || offset < file.content.count else { return ResponseAPDU(status: .offsetBeyondFile) }
    var available = min(profile.fault == .longAnswers && wanted <= 256 ? wanted * 2 : wanted, limit)
    // The odd instruction returns a data object, whose header counts.
    let isWrapped = isOdd && !profile.quirks.omitsBlockObject
    if isWrapped { available -= available < 0x82 ? 2 : available < 0x103 ? 3 : 4 }
    guard available > 0 else { return ResponseAPDU(status: .wrongLength) }
    let part = file.bytes(from: offset, count: available)
    // `Le = 00` requests all available bytes; any other length beyond the end of the file causes a warning.
    let isAtEnd = !file.isEndless && offset + part.count == file.content.count
    let isShort = part.count < wanted && wanted != 256 && wanted != 65_536 && isAtEnd
    let status = isShort ? StatusWord(profile.quirks.endOfFile) : .success
    return ResponseAPDU(data: isWrapped ? BERTLV.encode(0x53, part) : part, status: status)
  }

  /// How a quirk refuses to read this part of a file; nil if none does.
  private func refusal(of file: CardFile, at offset: Int, wanted: Int, isOdd: Bool) -> ChipQuirks.Refusal? {
    let quirks = profile.quirks
    if let status = quirks.unreadable[file.identifier] { return ChipQuirks.Refusal(status) }
    if let refusal = quirks.longRead, wanted > quirks.longestRead { return refusal }
    let isConcerned =
      switch quirks.placeOfPastEnd {
      case .everywhere: true
      case .masterFile: !state.isApplicationSelected
      case .application: state.isApplicationSelected
      }
    // The odd instruction asks for the bytes of the data object, too.
    let left = file.content.count - offset + (isOdd ? 4 : 0)
    return isConcerned && wanted > left ? quirks.pastEnd : nil
  }

  private mutating func refuse(_ refusal: ChipQuirks.Refusal) -> ResponseAPDU {
    state.endsSession = refusal.isPlain
    return ResponseAPDU(status: StatusWord(refusal.status))
  }
}
