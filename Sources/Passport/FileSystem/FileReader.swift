import SmartCard

/// Reads elementary files. The one place where deviations of real chips are survived: what a chip turns out to
/// want is remembered from file to file.
///
/// A short file identifier is used for the first block only (it makes the file current); the file's length is
/// taken from that block, so no exchange is spent on a header.
final class FileReader {
  private let session: ChipSession
  private var block: BlockSize
  private var shortIdentifiers = Support.untried
  /// Whether a file that a short identifier has named is current afterwards, as it should be (ISO/IEC 7816-4, 7.2.1).
  private var offsets = Support.untried
  /// The file that the chip reads from where a command names none.
  private var currentFile: ElementaryFile?
  /// What came of a file before the conversation was interrupted.
  private var interrupted: (file: ElementaryFile, bytes: [UInt8])?
  /// Whether the chip ended the conversation over a command that it was not known to take: the first with extended
  /// length, by short identifier, or at an offset after that.
  private var lostByTrial = false

  private enum Support { case untried, works, refused }

  /// Larger than any data group that fits a chip, small enough not to be kept busy by a hostile one.
  private static let longestFile = 4 << 20

  /// - Parameter cap: the user's limit of one block, in bytes.
  init(session: ChipSession, extendedLength: BlockSize.ExtendedLength, cap: Int?) {
    self.session = session
    block = BlockSize(extendedLength: extendedLength, cap: cap) { session.largestPlaintext(inResponseOf: $0) }
  }

  /// What is known of extended length.
  var extendedLength: BlockSize.ExtendedLength {
    get { block.extendedLength }
    set { block.extendedLength = newValue }
  }

  /// After power-up, or after another application was selected: what was learned of the chip stays.
  func forgetPlace() {
    currentFile = nil
    if shortIdentifiers == .works { shortIdentifiers = .untried }
  }

  /// How a file is found.
  enum Addressing {
    /// By the short file identifier, or by SELECT where that is refused.
    case either
    case shortIdentifier
    case selection
  }

  /// The whole file, exactly as long as its own length field says. After an interruption it goes on where it stopped.
  ///
  /// - Parameters:
  ///   - addressing: for files of which one way is known to fail.
  ///   - onProgress: bytes so far and bytes in all, after every block.
  /// - Throws: `PassportError.fileUnavailable`, `.fileTruncated`, `.fileTooLong`, `.fileMalformed`; whatever ended
  ///   the session.
  func read(
    _ file: ElementaryFile, by addressing: Addressing = .either, onProgress: (Int, Int) -> Void = { _, _ in }
  ) async throws -> [UInt8] {
    var bytes = interrupted?.file == file ? interrupted?.bytes ?? [] : []
    interrupted = nil
    do {
      try await read(file, into: &bytes, by: addressing, onProgress)
      return bytes
    } catch {
      // What came stays true where the session ended; a later one may go on with it.
      if !session.isOpen, !bytes.isEmpty { interrupted = (file, bytes) }
      throw error
    }
  }

  private func read(
    _ file: ElementaryFile, into bytes: inout [UInt8], by addressing: Addressing, _ onProgress: (Int, Int) -> Void
  ) async throws {
    let usual = block.current
    if bytes.isEmpty {
      bytes = try await firstBlock(of: file, count: firstCount(of: file), by: addressing)
    } else {
      try await makeCurrent(file)
    }
    // A header is six bytes at most; a chip that gives fewer than that at a time is asked again.
    while bytes.count < 6, (try? BERTLV.header(of: bytes[...])) == nil {
      bytes += try await nextBlock(of: file, at: bytes.count, missing: 6 - bytes.count)
    }
    guard let header = try? BERTLV.header(of: bytes[...]), header.tag == file.tag else {
      throw PassportError.fileMalformed(file, "it does not begin with the tag of this file")
    }
    let total = header.totalLength
    guard total <= Self.longestFile else { throw PassportError.fileTooLong(file, total) }
    // A chip may refuse to be asked for more than a short file holds; that says nothing about longer ones.
    if total < usual { block.restore(usual) }
    // A chip that dribbles is given up at some point.
    var exchangesLeft = max(4096, min(65_536, 2 * total / min(BlockSize.smallest, block.current)))
    onProgress(min(bytes.count, total), total)
    while bytes.count < total {
      exchangesLeft -= 1
      guard exchangesLeft > 0 else {
        throw PassportError.fileMalformed(file, "the chip delivers it in pieces of too few bytes")
      }
      bytes += try await nextBlock(of: file, at: bytes.count, missing: total - bytes.count)
      onProgress(min(bytes.count, total), total)
    }
    bytes = Array(bytes.prefix(total))
  }

  /// These two are always short: nothing is gained by asking for more.
  private func firstCount(of file: ElementaryFile) -> Int {
    [.com, .dg1].contains(file) ? min(block.current, block.shortLimit) : block.current
  }

  /// The beginning of a file: one block, and more where that has fewer bytes than wanted.
  ///
  /// - Parameter length: of the file, as far as it is known.
  func beginning(of file: ElementaryFile, of length: Int, atLeast wanted: Int) async throws -> [UInt8] {
    let wanted = min(wanted, length)
    var bytes = try await firstBlock(of: file, count: min(wanted, block.current), by: .either)
    while bytes.count < wanted {
      bytes += try await nextBlock(of: file, at: bytes.count, missing: wanted - bytes.count)
    }
    return bytes
  }

  /// Bytes of the file that was being read when the conversation was interrupted.
  var interruptedBytes: Int { interrupted?.bytes.count ?? 0 }

  /// Whether the chip ended the conversation over a command that it does not take; says so once.
  func takeLostByTrial() -> Bool {
    defer { lostByTrial = false }
    return lostByTrial
  }

  /// What of a file had come before the conversation was interrupted.
  func received(of file: ElementaryFile) -> [UInt8]? { interrupted?.file == file ? interrupted?.bytes : nil }

  /// A file of data objects one after the other, which no length of its own ends: EF.DIR, EF.ATR/INFO.
  ///
  /// Where the chip has its application selected at power-up, their short identifiers deliver that one's DG1 and EF.COM.
  ///
  /// - Throws: `PassportError.fileUnavailable`, `.fileMalformed` for another file; whatever ended the session.
  func readObjects(_ file: ElementaryFile) async throws -> [UInt8] {
    let count = block.shortLimit
    var bytes = try await firstBlock(of: file, count: count, by: .either)
    var hasEnded = bytes.count < count
    while !hasEnded, bytes.count < Self.longestObjectList {
      do {
        let more = try await nextBlock(of: file, at: bytes.count, missing: count)
        bytes += more
        hasEnded = more.count < count
      } catch PassportError.fileTruncated {
        hasEnded = true
      }
    }
    guard Self.isObjectList(bytes, of: file) else {
      currentFile = nil
      throw PassportError.fileMalformed(file, "it does not begin as this file does")
    }
    return bytes
  }

  /// EF.DIR begins with an application template `61` that names an application by `4F` (Doc 9303-10, 3.11.1); so does DG1
  /// begin, but with an MRZ inside. EF.ATR/INFO has many objects, none of them the one that fills DG1 or EF.COM.
  private static func isObjectList(_ bytes: [UInt8], of file: ElementaryFile) -> Bool {
    guard file == .directory else {
      return bytes.first.map { ![ElementaryFile.dg1.tag, ElementaryFile.com.tag].contains(UInt32($0)) } ?? false
    }
    guard var template = try? BERTLV.value(of: file.tag, in: bytes[...]) else { return false }
    while let object = try? BERTLV.take(from: &template) {
      if object.tag == 0x4F { return true }
    }
    return false
  }

  private static let longestObjectList = 4096

  /// Whether the chip delivers anything of the file.
  func isReadable(_ file: ElementaryFile) async throws -> Bool {
    do {
      _ = try await firstBlock(of: file, count: 1, by: .either)
      return true
    } catch PassportError.fileUnavailable {
      return false
    }
  }

  // MARK: - Blocks

  private func firstBlock(of file: ElementaryFile, count: Int, by addressing: Addressing) async throws -> [UInt8] {
    if shortIdentifiers != .refused, addressing != .selection {
      currentFile = nil
      let answer = try await readBinary(.shortIdentifier(file.shortIdentifier), count: count)
      if answer.status.deliversData, !answer.data.isEmpty {
        shortIdentifiers = .works
        currentFile = file
        return answer.data
      }
      // A chip that knows short identifiers has no other answer by SELECT, nor has one that wants a key.
      let isFinal = shortIdentifiers == .works || answer.status == .securityStatusNotSatisfied
      if isFinal || addressing == .shortIdentifier { throw PassportError.fileUnavailable(file, answer.status) }
    }
    try await select(file)
    if shortIdentifiers == .untried { shortIdentifiers = .refused }
    let answer = try await readBinary(.offset(0), count: count)
    guard answer.status.deliversData, !answer.data.isEmpty else {
      throw PassportError.fileUnavailable(file, answer.status)
    }
    return answer.data
  }

  private func nextBlock(of file: ElementaryFile, at offset: Int, missing: Int) async throws -> [UInt8] {
    let overhead = Self.needsOddInstruction(offset) ? Self.largestObjectHeader : 0
    let count = min(max(block.current, overhead + 1), missing + overhead)
    var answer = try await readBinary(.offset(offset), count: count)
    if offsets == .untried, shortIdentifiers == .works {
      if Self.isWithoutFile(answer.status) {
        try await select(file)
        answer = try await readBinary(.offset(offset), count: count)
        // From now on every file is selected.
        if answer.status.deliversData { shortIdentifiers = .refused }
      } else if answer.status.deliversData {
        offsets = .works
      }
    }
    guard answer.status.deliversData, !answer.data.isEmpty else {
      // 6B00, 6282 and an empty answer all say that the file ends here, before its own length.
      let isEnd = answer.status.deliversData || answer.status == .offsetBeyondFile
      throw isEnd
        ? PassportError.fileTruncated(file, expected: offset + missing, received: offset)
        : PassportError.fileUnavailable(file, answer.status)
    }
    let received = answer.data.count
    if received < missing { block.learn(requested: count, received: received, tolerance: overhead) }
    return answer.data
  }

  /// What a chip says to an offset where it has no current file.
  private static func isWithoutFile(_ status: StatusWord) -> Bool {
    status == .conditionsNotSatisfied || status == .noCurrentFile
  }

  /// The chip may have forgotten which file it was, without which an offset means nothing.
  private func makeCurrent(_ file: ElementaryFile) async throws {
    guard currentFile != file else { return }
    do {
      try await select(file)
    } catch PassportError.fileUnavailable where shortIdentifiers != .refused {
      _ = try await firstBlock(of: file, count: 1, by: .shortIdentifier)
    }
  }

  private func select(_ file: ElementaryFile) async throws {
    currentFile = nil
    let identifier = [UInt8(file.identifier >> 8), UInt8(file.identifier & 0xFF)]
    let answer = try await session.send(CommandAPDU(ins: 0xA4, p1: 0x02, p2: 0x0C, data: identifier))
    guard answer.status.deliversData else { throw PassportError.fileUnavailable(file, answer.status) }
    currentFile = file
  }

  // MARK: - READ BINARY

  private enum Place {
    case shortIdentifier(UInt8)
    case offset(Int)
  }

  /// One block, with as many tries as the chip's wishes about its length need.
  private func readBinary(_ place: Place, count: Int) async throws -> ResponseAPDU {
    var count = count
    var proposals = 0
    var isSmaller = false
    while true {
      let answer = try await send(place, count: count)
      block.delivered(requested: count, received: answer.data.count)
      if let proposed = answer.status.proposedLength, proposed != count, proposals == 0 {
        // 6Cxx: the length that the chip would answer. Once only, since a chip may propose for ever.
        proposals += 1
        count = proposed
        continue
      }
      // A chip that does not know extended length may say so in any words.
      let isRefusedTrial =
        block.isUnproved && block.isTrial(count) && !answer.status.deliversData
        && ![.fileNotFound, .securityStatusNotSatisfied, .offsetBeyondFile].contains(answer.status)
      let isRefusedLength =
        answer.status == .wrongLength || answer.status.proposedLength != nil || isRefusedTrial
      let isEmpty = answer.status == .success && answer.data.isEmpty
      guard isRefusedLength || isEmpty, let smaller = block.smaller(than: count) else {
        // A smaller length is remembered only where it helped: a file that ends early refuses all of them.
        if answer.status.deliversData, !isEmpty, isSmaller {
          let wasUnproved = block.isUnproved
          block.refuse(moreThan: count)
          if wasUnproved, !block.isUnproved { session.chainsLongCommands = true }
        }
        var answer = try Self.unwrapped(answer, place)
        // More than was asked for may be the file's next bytes or anything else; only what was asked for is sure.
        answer.data = Array(answer.data.prefix(Self.payload(of: count, place)))
        return answer
      }
      // A refusal at the end of a file says nothing about full blocks.
      isSmaller = isSmaller || count >= block.current
      count = smaller
    }
  }

  private func send(_ place: Place, count: Int) async throws -> ResponseAPDU {
    let isTrial = block.isTrial(count)
    do {
      return try await session.send(Self.command(place, count: count))
    } catch {
      guard isTrial, block.isUnproved || !(error is CardError) else {
        giveUpShortIdentifiers(at: place, after: error)
        throw error
      }
      lostByTrial = true
      block.trialEnded(byLoss: error as? CardError == .cardRemoved)
      if block.extendedLength == .unavailable { session.chainsLongCommands = true }
      // Readers that cannot carry it say so in many ways.
      throw error is CardError && error as? CardError != .cardRemoved ? CardError.transmission(code: 0) : error
    }
  }

  /// There are chips that answer the first short identifier under secure messaging, or the first offset after it, in
  /// plain. Files are selected from then on.
  private func giveUpShortIdentifiers(at place: Place, after error: any Error) {
    guard case PassportError.secureMessaging(.plainAnswer(let status)) = error else { return }
    let isUntried =
      switch place {
      case .shortIdentifier: shortIdentifiers == .untried && Self.refusesAddress(status)
      case .offset: shortIdentifiers == .works && offsets == .untried && Self.isWithoutFile(status)
      }
    guard isUntried else { return }
    shortIdentifiers = .refused
    lostByTrial = true
  }

  /// Whether a chip may mean the way in which the file was named.
  private static func refusesAddress(_ status: StatusWord) -> Bool {
    isWithoutFile(status) || status == .incorrectParameters || status == .functionNotSupported
  }

  /// The bytes of the file in an answer of `count` bytes: under the odd instruction, tag and length of the object count.
  private static func payload(of count: Int, _ place: Place) -> Int {
    guard case .offset(let offset) = place, needsOddInstruction(offset) else { return count }
    return max(0, count - (count < 0x82 ? 2 : count < 0x103 ? 3 : 4))
  }

  private static func needsOddInstruction(_ offset: Int) -> Bool { offset > 0x7FFF }

  /// Tag and length of the data object around the answer to the odd instruction.
  private static let largestObjectHeader = 4

  /// Offsets beyond 15 bits need the odd instruction, which carries the offset as a data object (ISO/IEC 7816-4,
  /// 7.2.2; Doc 9303-10, 3.6.4.2).
  private static func command(_ place: Place, count: Int) -> CommandAPDU {
    switch place {
    case .shortIdentifier(let identifier):
      CommandAPDU(ins: 0xB0, p1: 0x80 | identifier, p2: 0, expectedLength: count)
    case .offset(let offset) where !needsOddInstruction(offset):
      CommandAPDU(ins: 0xB0, p1: UInt8(offset >> 8), p2: UInt8(offset & 0xFF), expectedLength: count)
    case .offset(let offset):
      CommandAPDU(
        ins: 0xB1, p1: 0, p2: 0,
        data: BERTLV.encode(0x54, [UInt8(offset >> 16 & 0xFF), UInt8(offset >> 8 & 0xFF), UInt8(offset & 0xFF)]),
        expectedLength: count)
    }
  }

  /// The answer to the odd instruction is a data object 53 around the bytes.
  private static func unwrapped(_ answer: ResponseAPDU, _ place: Place) throws -> ResponseAPDU {
    guard case .offset(let offset) = place, needsOddInstruction(offset), !answer.data.isEmpty else { return answer }
    guard let content = try? BERTLV.value(of: 0x53, in: answer.data[...]) else {
      throw PassportError.malformedResponse(operation: "READ BINARY with an odd instruction")
    }
    return ResponseAPDU(data: Array(content), status: answer.status)
  }
}
