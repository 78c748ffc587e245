import TesseraSmartCard

/// Reads elementary files and adapts to chips that deviate from the specification. The detected capabilities of a chip
/// apply to all later files.
///
/// The short file identifier is used for the first block only, since it makes the file current. The file's length is
/// taken from that block, so that no exchange is spent on a header.
package final class FileReader {
  /// How a file is addressed.
  package enum Addressing {
    /// By the short file identifier, or by SELECT if the chip refuses that.
    case either
    case shortIdentifier
    case selection
  }

  private let session: ChipSession
  package private(set) var block: BlockSize
  package private(set) var addressingSupport = AddressingSupport()
  private var blockForm = ReadBinary.BlockForm.unknown
  /// The file whose read was interrupted, as far as it was received.
  private var partialFile: (file: ElementaryFile, bytes: [UInt8])?

  /// Whether the chip delivers the rest of a file if more is requested, as ISO/IEC 7816-4, 7.2.3 provides.
  private enum PastEnd { case unknown, delivered, refused }
  private var pastEnd = PastEnd.unknown

  /// Larger than any data group that fits a chip, small enough to bound the time that a hostile chip can take.
  private static let longestFile = ElementaryFile.maximumSize

  /// The longest tag and length of a file, in bytes.
  private static let longestHeader = 6

  /// Whether the chip refuses to read past the end of a file, so that each file's length is read first.
  var staysInFile: Bool { pastEnd == .refused }

  func stayInFile() { pastEnd = .refused }

  /// - Parameter cap: the caller's limit of one block, in bytes.
  init(session: ChipSession, extendedLength: BlockSize.ExtendedLength, cap: Int?) {
    self.session = session
    block = BlockSize(extendedLength: extendedLength, cap: cap) { session.largestPlaintext(inResponseOf: $0) }
  }

  /// Whether the chip supports extended length, as far as known.
  var extendedLength: BlockSize.ExtendedLength {
    get { block.extendedLength }
    set { block.extendedLength = newValue }
  }

  /// Discards the current file, after power-up or after another application was selected. The knowledge about the
  /// chip remains.
  func resetCurrentFile() {
    session.currentFile = nil
    addressingSupport.reset()
  }

  // MARK: - Files

  /// Reads a whole file, exactly as long as its own length field says. A read that was interrupted resumes if it
  /// stopped.
  ///
  /// - Parameters:
  ///   - addressing: other than `.either` if one way is known to fail for this file.
  ///   - onProgress: receives the bytes so far and in total, after every block.
  /// - Throws: `PassportError.fileUnavailable`, `.fileTruncated`, `.fileTooLong`, `.fileMalformed`; any error that
  ///   ended the session.
  func readFile(
    _ file: ElementaryFile, by addressing: Addressing = .either, onProgress: (Int, Int) -> Void = { _, _ in }
  ) async throws -> [UInt8] {
    var bytes = partialBytes(of: file) ?? []
    partialFile = nil
    var isComplete = false
    // If the session ends, a later one can resume after these bytes.
    defer { if !isComplete, !session.isOpen, !bytes.isEmpty { partialFile = (file, bytes) } }
    let initialBlock = block.current
    if bytes.isEmpty {
      session.distance?.expect(.file(file, by: addressing, reader: self))
      let requested = firstBlockSize(of: file)
      bytes = try await fetchFirstBlock(of: file, count: requested, by: addressing)
      recordEnd(of: bytes, requested: requested)
    } else {
      try await makeCurrent(file)
    }
    while bytes.count < Self.longestHeader, (try? BERTLV.header(of: bytes[...])) == nil {
      bytes += try await fetchNextBlock(of: file, at: bytes.count, missing: Self.longestHeader - bytes.count)
    }
    guard let header = try? BERTLV.header(of: bytes[...]), header.tag == file.tag else {
      throw PassportError.fileMalformed(file, "it does not begin with the tag of this file")
    }
    let total = header.totalLength
    guard total <= Self.longestFile else { throw PassportError.fileTooLong(file, total) }
    // A refusal of a length beyond the end of a short file says nothing about longer files.
    if total < initialBlock { block.restore(initialBlock) }
    // Bounds the time that a chip with very short blocks can take.
    let mostExchanges = max(4096, min(65_536, 2 * total / min(BlockSize.smallest, block.current)))
    let exchangesBefore = session.statistics.exchanges
    onProgress(min(bytes.count, total), total)
    while bytes.count < total {
      guard session.statistics.exchanges - exchangesBefore < mostExchanges else {
        throw PassportError.fileMalformed(file, "the chip delivers it in blocks of too few bytes")
      }
      session.distance?.expect(.blocks(of: file, from: bytes.count, to: total, reader: self))
      bytes += try await fetchNextBlock(of: file, at: bytes.count, missing: total - bytes.count)
      onProgress(min(bytes.count, total), total)
    }
    isComplete = true
    return Array(bytes.prefix(total))
  }

  /// EF.COM and DG1 always fit a short response.
  package static func fitsFirstBlock(_ file: ElementaryFile) -> Bool { [.com, .dg1].contains(file) }

  package func firstBlockSize(of file: ElementaryFile) -> Int {
    let whole = Self.fitsFirstBlock(file) ? min(block.current, block.shortLimit) : block.current
    return staysInFile ? min(whole, leastLength(of: file)) : whole
  }

  /// The shortest DG1: tags, lengths, and an MRZ of two lines with 36 characters each.
  package static let shortestDataGroup1 = 77

  /// The bytes that a file has at least. EF.COM has two version numbers and a list of two groups. EF.SOD and DG2 are longer
  /// than a short response.
  private func leastLength(of file: ElementaryFile) -> Int {
    switch file {
    case .com: 22
    case .dg1: Self.shortestDataGroup1
    case .sod, .dg2: block.shortLimit
    default: Self.longestHeader
    }
  }

  /// The numbers of bytes to request from the beginning of a file, in this order. The later ones are for chips that refuse
  /// to read past the end of a file, and for chips that refuse a command once.
  private func firstSizes(of file: ElementaryFile, _ wanted: Int) -> [Int] {
    var sizes = [wanted]
    if pastEnd != .delivered { sizes.append(leastLength(of: file)) }
    // While nothing is known of the chip, the address may be the cause.
    if pastEnd != .unknown || !addressingSupport.isUnknown { sizes.append(Self.longestHeader) }
    return sizes.reduce(into: []) { if $1 < $0.last ?? .max { $0.append($1) } }
  }

  /// Learns from the first block of a file whether the chip delivers the rest if more is requested.
  private func recordEnd(of bytes: [UInt8], requested: Int) {
    guard pastEnd == .unknown, bytes.count < requested, let header = try? BERTLV.header(of: bytes[...]),
      bytes.count >= header.totalLength
    else { return }
    pastEnd = .delivered
  }

  /// Reads the first bytes of a file: one block, and more blocks if the first has fewer than `minimum` bytes.
  ///
  /// - Parameter length: of the file, as far as it is known.
  func readPrefix(of file: ElementaryFile, length: Int, atLeast minimum: Int) async throws -> [UInt8] {
    let minimum = min(minimum, length)
    var bytes = try await fetchFirstBlock(of: file, count: min(minimum, block.current), by: .either)
    while bytes.count < minimum {
      bytes += try await fetchNextBlock(of: file, at: bytes.count, missing: minimum - bytes.count)
    }
    return bytes
  }

  /// Bytes received of the file whose read was interrupted.
  var partialByteCount: Int { partialFile?.bytes.count ?? 0 }

  /// What was received of a file before its read was interrupted; nil for any other file.
  func partialBytes(of file: ElementaryFile) -> [UInt8]? { partialFile?.file == file ? partialFile?.bytes : nil }

  /// Whether the chip delivers anything of the file.
  func isReadable(_ file: ElementaryFile) async throws -> Bool {
    do {
      _ = try await fetchFirstBlock(of: file, count: 1, by: .either)
      return true
    } catch PassportError.fileUnavailable {
      return false
    }
  }

  // MARK: - Lists of data objects

  private static let longestObjectList = 4096

  /// Reads a file that is a list of data objects without a length of its own: EF.DIR, EF.ATR/INFO.
  ///
  /// If the chip selects its application at power-up, the short identifiers of these files deliver DG1 and EF.COM.
  ///
  /// - Throws: `PassportError.fileUnavailable`; `.fileMalformed` if the chip delivers another file; any error that
  ///   ended the session.
  func readObjectList(_ file: ElementaryFile) async throws -> [UInt8] {
    let wanted = staysInFile ? Self.longestHeader : block.shortLimit
    var bytes = try await fetchFirstBlock(of: file, count: wanted, by: .either)
    var hasEnded = bytes.count < wanted && !staysInFile
    var exchangesLeft = 64
    while !hasEnded, bytes.count < Self.longestObjectList {
      do {
        let count = min(staysInFile ? Self.missingBytes(ofObjectsIn: bytes) : wanted, block.current)
        let more = try await fetchNextBlock(of: file, at: bytes.count, missing: count)
        bytes += more
        exchangesLeft -= 1
        hasEnded = more.count < count || exchangesLeft == 0
      } catch PassportError.fileTruncated, PassportError.fileUnavailable {
        // Whatever the status: there is no more.
        hasEnded = true
      }
    }
    guard Self.isObjectList(bytes, of: file) else {
      session.currentFile = nil
      throw PassportError.fileMalformed(file, "it does not begin as this file does")
    }
    return bytes
  }

  /// What the last object of a list lacks; two bytes, the beginning of another one, if it is complete.
  private static func missingBytes(ofObjectsIn list: [UInt8]) -> Int {
    var rest = list[...]
    while let header = try? BERTLV.header(of: rest) {
      guard header.totalLength <= rest.count else { return header.totalLength - rest.count }
      rest = rest.dropFirst(header.totalLength)
    }
    return 2
  }

  /// EF.DIR begins with an application template `61` that names an application by `4F` (Doc 9303-10, 3.11.1). DG1
  /// begins with `61` too, but has an MRZ inside. EF.ATR/INFO has many objects, none of them with the tag of DG1 or
  /// EF.COM.
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

  /// The way to look for a file that no list names: SELECT would not find it on a chip with short identifiers.
  var addressingOfUnlistedFile: Addressing { addressingSupport.supportsShortIdentifiers ? .shortIdentifier : .either }

  // MARK: - Blocks

  private func fetchFirstBlock(
    of file: ElementaryFile, count: Int, by addressing: Addressing
  ) async throws -> [UInt8] {
    var sizes = firstSizes(of: file, count)
    if addressingSupport.triesShortIdentifiers, addressing != .selection {
      session.currentFile = nil
      let answer = try await fetchBeginning(of: file, at: .shortIdentifier(file.shortIdentifier), sizes)
      if answer.isDelivery {
        addressingSupport.recordShortIdentifierAccepted()
        session.currentFile = file
        return answer.data
      }
      let isProtected = answer.status == .securityStatusNotSatisfied && file.needsTerminalAuthentication
      if isProtected || addressing == .shortIdentifier { throw PassportError.fileUnavailable(file, answer.status) }
      // SELECT rarely helps with a chip that supports short identifiers. It is another try.
      if addressingSupport.supportsShortIdentifiers { sizes = Array(sizes.suffix(1)) }
    }
    try await select(file)
    addressingSupport.recordSelection()
    let answer = try await fetchBeginning(of: file, at: .offset(0), sizes)
    guard answer.isDelivery else { throw PassportError.fileUnavailable(file, answer.status) }
    return answer.data
  }

  /// Requests the beginning of a file, with less each time, until the chip delivers it or its refusal is not about the
  /// length.
  private func fetchBeginning(
    of file: ElementaryFile, at address: ReadBinary.Address, _ sizes: [Int]
  ) async throws -> ResponseAPDU {
    var answer = ResponseAPDU(status: .none)
    for (number, size) in sizes.enumerated() {
      answer = try await fetchBlock(at: address, count: size, isInFile: size <= leastLength(of: file))
      if answer.isDelivery, number > 0, pastEnd == .unknown { pastEnd = .refused }
      // After a successful SELECT nothing but the length can be wrong, as long as the chip has delivered no file.
      let mayBeLength = address.isOffset && pastEnd == .unknown
      if answer.isDelivery || answer.status.isAboutFile && !mayBeLength { break }
    }
    return answer
  }

  private func fetchNextBlock(of file: ElementaryFile, at offset: Int, missing: Int) async throws -> [UInt8] {
    let (count, overhead) = nextBlockSize(at: offset, missing: missing)
    let isInFile = offset >= Self.longestHeader
    var answer = try await fetchBlock(at: .offset(offset), count: count, isInFile: isInFile)
    if !answer.isDelivery, !addressingSupport.isOffsetUnproved {
      answer = try await fetchRefusedBlock(at: offset, count: count)
    }
    if addressingSupport.isOffsetUnproved {
      if AddressingSupport.meansNoCurrentFile(answer.status) {
        try await select(file)
        answer = try await fetchBlock(at: .offset(offset), count: count, isInFile: isInFile)
        if answer.status.deliversData { addressingSupport.refuseShortIdentifiers() }
      } else if answer.status.deliversData {
        addressingSupport.recordOffsetAccepted()
      }
    }
    guard answer.isDelivery else {
      // 6B00, 6282 and an empty response all mean that the file ends here, before its own length.
      let isEnd = answer.status.deliversData || answer.status == .offsetBeyondFile
      throw isEnd
        ? PassportError.fileTruncated(file, expected: offset + missing, received: offset)
        : PassportError.fileUnavailable(file, answer.status)
    }
    let received = answer.data.count
    if received < missing { block.learn(requested: count, received: received, tolerance: overhead) }
    return answer.data
  }

  /// Fetches a block that the chip refused: a chip may refuse a command once, or any command for so many bytes.
  private func fetchRefusedBlock(at offset: Int, count: Int) async throws -> ResponseAPDU {
    var answer = try await fetchBlock(at: .offset(offset), count: count, isInFile: true)
    guard !answer.isDelivery, !block.hasDelivered(count) else { return answer }
    for size in block.smallerSizes(than: count).prefix(2) {
      answer = try await fetchBlock(at: .offset(offset), count: size, isInFile: true)
      guard answer.isDelivery else { continue }
      lowerBlock(to: size)
      break
    }
    return answer
  }

  /// The number of bytes to request at `offset`, and how many of them a data object around the response may take up.
  package func nextBlockSize(at offset: Int, missing: Int) -> (count: Int, overhead: Int) {
    let hasObject = ReadBinary.needsOddInstruction(offset) && blockForm != .bare
    let overhead = hasObject ? ReadBinary.largestObjectHeader : 0
    return (min(max(block.current, overhead + 1), missing + overhead), overhead)
  }

  /// Makes `file` current again if the chip may have another current file.
  package func makeCurrent(_ file: ElementaryFile) async throws {
    guard session.currentFile != file else { return }
    do {
      try await select(file)
    } catch PassportError.fileUnavailable where addressingSupport.triesShortIdentifiers {
      _ = try await fetchFirstBlock(of: file, count: 1, by: .shortIdentifier)
    }
  }

  private func select(_ file: ElementaryFile) async throws {
    session.currentFile = nil
    let status = try await session.select(.select(file))
    guard status.deliversData else { throw PassportError.fileUnavailable(file, status) }
    session.currentFile = file
  }

  // MARK: - READ BINARY

  /// Fetches one block, with several commands if necessary to find a length that the chip accepts.
  ///
  /// - Parameter isInFile: whether the file has so many bytes, so that only the length itself can be refused.
  private func fetchBlock(
    at address: ReadBinary.Address, count: Int, isInFile: Bool
  ) async throws -> ResponseAPDU {
    var count = count
    var hasProposed = false
    var isLowered = false
    while true {
      let read = ReadBinary(address: address, count: count)
      try await session.distance?.prepare(read, by: self)
      let isLengthProbe = block.isProbe(count)
      let answer: ResponseAPDU
      do {
        answer = try await session.transceive(read.command)
      } catch {
        throw recordLoss(over: read, isLengthProbe: isLengthProbe, isInFile: isInFile, error)
      }
      block.recordAnswer(requested: count, received: answer.data.count)
      if let proposed = answer.status.proposedLength, proposed != count, !hasProposed {
        // 6Cxx proposes a length. It is followed once, since a chip may propose lengths endlessly.
        hasProposed = true
        count = proposed
        continue
      }
      // A chip that does not support extended length may answer with any status.
      let isRefusedProbe =
        block.isUnproved && block.isProbe(count) && !answer.status.deliversData
        && ![.fileNotFound, .securityStatusNotSatisfied, .offsetBeyondFile].contains(answer.status)
      let isRefusedLength =
        answer.status == .wrongLength || answer.status.proposedLength != nil || isRefusedProbe
      let isEmpty = answer.status == .success && answer.data.isEmpty
      // Whether the length itself is refused, or the end of the file, shows the beginning of the file.
      let isUndecided = !isInFile && pastEnd == .unknown && !isRefusedProbe
      guard isRefusedLength || isEmpty, !isUndecided, let smaller = block.smaller(than: count) else {
        // A smaller length stays in use only if it helped: at the end of a truncated file, every length is refused.
        if answer.status.deliversData, !isEmpty, isLowered { lowerBlock(to: count) }
        return try read.fileBytes(of: answer, &blockForm)
      }
      // A refusal at the end of a file says nothing about full blocks.
      isLowered = isLowered || count >= block.current
      count = smaller
    }
  }

  private func lowerBlock(to count: Int) {
    let wasUnproved = block.isUnproved
    block.lower(to: count)
    if wasUnproved, !block.isUnproved { session.longCommands.recordExtendedLengthRefused() }
  }

  /// Records whether READ BINARY was a probe over which the session ended.
  ///
  /// - Returns: the error to throw: `CardError.powerCycleNeeded` if the reader failed to carry a probe.
  private func recordLoss(
    over read: ReadBinary, isLengthProbe: Bool, isInFile: Bool, _ error: any Error
  ) -> any Error {
    guard isLengthProbe, block.isUnproved || !(error is CardError) else {
      if case PassportError.secureMessaging(.plainAnswer(let status)) = error,
        learns(from: status, to: read, isInFile: isInFile)
      {
        session.recordFailedProbe()
      }
      return error
    }
    session.recordFailedProbe()
    let cardWasRemoved = error as? CardError == .cardRemoved
    block.recordFailedProbe(cardWasRemoved: cardWasRemoved)
    if block.extendedLength == .unavailable { session.longCommands.recordExtendedLengthRefused() }
    // Readers report in many ways that they cannot carry extended length.
    return error is CardError && !cardWasRemoved ? CardError.powerCycleNeeded : error
  }

  /// Learns from a plain answer, which has ended the session, what not to ask of this chip again.
  ///
  /// - Returns: false if the same command will be sent again.
  private func learns(from status: StatusWord, to read: ReadBinary, isInFile: Bool) -> Bool {
    if addressingSupport.recordPlainAnswer(to: read.address, status, isOnlyCause: false) { return true }
    if !isInFile, pastEnd == .unknown {
      pastEnd = .refused
      return true
    }
    if addressingSupport.recordPlainAnswer(to: read.address, status, isOnlyCause: true) { return true }
    return block.recordLoss(requested: read.count, status)
  }
}

extension ResponseAPDU {
  /// Whether the response has bytes of a file.
  var isDelivery: Bool { status.deliversData && !data.isEmpty }
}

extension StatusWord {
  /// Whether this status of READ BINARY is about the file and not about the length that was requested.
  fileprivate var isAboutFile: Bool {
    [.fileNotFound, .securityStatusNotSatisfied, .instructionNotSupported, .classNotSupported].contains(self)
      || AddressingSupport.meansNoCurrentFile(self)
  }
}

extension CommandAPDU {
  /// SELECT of an elementary file by its identifier, without response data.
  package static func select(_ file: ElementaryFile) -> CommandAPDU {
    CommandAPDU(
      ins: 0xA4, p1: 0x02, p2: 0x0C, data: [UInt8(file.identifier >> 8), UInt8(file.identifier & 0xFF)])
  }
}
