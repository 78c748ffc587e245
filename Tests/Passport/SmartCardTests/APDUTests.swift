import TestSupport
import Testing

@testable import TesseraReaders
@testable import TesseraSmartCard

@Suite("APDUs")
struct APDUTests {
  @Test(
    "encodes commands of the four cases, short and extended",
    arguments: [
      (CommandAPDU(ins: 0x84, p1: 0, p2: 0), "00840000"),
      (CommandAPDU(ins: 0x84, p1: 0, p2: 0, expectedLength: 8), "0084000008"),
      (CommandAPDU(ins: 0xB0, p1: 0x9E, p2: 0, expectedLength: 256), "00B09E0000"),
      (CommandAPDU(ins: 0xA4, p1: 2, p2: 0x0C, data: [0x01, 0x1E]), "00A4020C02011E"),
      (CommandAPDU(ins: 0xA4, p1: 2, p2: 0, data: [0x01, 0x1E], expectedLength: 256), "00A4020002011E00"),
      (CommandAPDU(ins: 0xB0, p1: 0, p2: 0, expectedLength: 257), "00B00000000101"),
      (CommandAPDU(ins: 0xB0, p1: 0, p2: 0, expectedLength: 65_536), "00B00000000000"),
      (CommandAPDU(ins: 0xB1, p1: 0, p2: 0, data: [0x54], expectedLength: 1000), "00B1000000000154" + "03E8"),
    ])
  func encoding(_ command: CommandAPDU, _ expected: String) throws {
    #expect(try command.encoded().hexadecimal == expected)
  }

  @Test("throws for a command that is too long for an APDU")
  func tooLong() {
    let data = [UInt8](repeating: 0, count: 65_536)
    #expect(throws: CardError.commandTooLong) { try CommandAPDU(ins: 0, p1: 0, p2: 0, data: data).encoded() }
    for length in [0, -1, 65_537] {
      #expect(throws: CardError.commandTooLong) {
        try CommandAPDU(ins: 0, p1: 0, p2: 0, expectedLength: length).encoded()
      }
    }
  }

  @Test("requires a status word in responses")
  func responses() throws {
    #expect(try ResponseAPDU([0x01, 0x90, 0x00]) == ResponseAPDU(data: [1], status: .success))
    #expect(throws: CardError.truncatedResponse(1)) { try ResponseAPDU([0x90]) }
    #expect(throws: CardError.truncatedResponse(0)) { try ResponseAPDU([]) }
  }

  @Test("interprets status words")
  func statusWords() {
    #expect(StatusWord(0x6C00).proposedLength == 256)
    #expect(StatusWord(0x6C10).proposedLength == 16)
    #expect(StatusWord(0x6700).proposedLength == nil)
    #expect(StatusWord(0x6282).deliversData && StatusWord(0x9000).deliversData && !StatusWord(0x6A82).deliversData)
    #expect("\(StatusWord(0x6A82))" == "6A82")
  }
}

@Suite("BER-TLV")
struct TLVTests {
  @Test(
    "reads and writes tags, and lengths in the shortest form",
    arguments: [(0x61, 0x10), (0x5F1F, 0x80), (0x7F61, 0x1234), (0x75, 0x1_2345)] as [(UInt32, Int)])
  func roundTrip(_ tag: UInt32, _ length: Int) throws {
    let value = [UInt8](repeating: 0xAB, count: length)
    let bytes = BERTLV.encode(tag, value)
    let header = try BERTLV.header(of: bytes[...])
    #expect(header.tag == tag && header.length == length && header.totalLength == bytes.count)
    #expect(try BERTLV.value(of: tag, in: bytes[...]) == value[...])
  }

  @Test(
    "rejects malformed data objects",
    arguments: ["", "61", "5F", "5F81", "6180", "618000", "6185000000000100", "6103AABB", "5FFFFFFF0100", "1F"])
  func malformed(_ text: String) throws {
    let bytes = try #require([UInt8](hexadecimal: text))
    var rest = bytes[...]
    #expect(throws: TLVError.self) { try BERTLV.take(from: &rest) }
  }

  @Test("allocates nothing for a huge length")
  func hugeLength() throws {
    let bytes: [UInt8] = [0x61, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x00]
    #expect(try BERTLV.header(of: bytes[...]).length == 0xFFFF_FFFF)
    var rest = bytes[...]
    #expect(throws: TLVError.truncated) { try BERTLV.take(from: &rest) }
  }

  @Test("does not trap on random bytes")
  func randomBytes() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...24, using: &generator)).map { _ in UInt8.random(in: 0...255) }
      _ = try? BERTLV.sequence(bytes[...])
      _ = AnswerToReset(bytes).announcesExtendedLength
      _ = AnswerToReset(bytes).isStorageCard
    }
  }
}

@Suite("Answer to reset")
struct AnswerToResetTests {
  @Test("recognises a contactless smart card")
  func contactless() throws {
    let answer = AnswerToReset(try #require([UInt8](hexadecimal: "3B8880010000000000000000" + "09")))
    #expect(answer.isContactless && !answer.isStorageCard)
    #expect(answer.historicalBytes == [UInt8](repeating: 0, count: 8))
    #expect(!answer.announcesExtendedLength)
  }

  @Test("recognises a Mifare Classic 1K, as coded in PC/SC part 3")
  func storageCard() throws {
    let answer = AnswerToReset(try #require([UInt8](hexadecimal: "3B8F8001804F0CA000000306030001000000006A")))
    #expect(answer.isContactless && answer.isStorageCard)
  }

  @Test("recognises a contact card")
  func contact() throws {
    let answer = AnswerToReset(try #require([UInt8](hexadecimal: "3BDA18FF81B1FE751F030031C573C001400090000C")))
    #expect(!answer.isContactless && !answer.isStorageCard)
  }

  @Test(
    "reads extended length from the card capabilities", arguments: [(0x40, true), (0x00, false)] as [(UInt8, Bool)])
  func extendedLength(_ table: UInt8, _ expected: Bool) {
    let answer = AnswerToReset([0x3B, 0x85, 0x80, 0x01, 0x80, 0x73, 0x80, 0x21, table, 0x00])
    #expect(answer.announcesExtendedLength == expected)
  }
}

@Suite("Card selection")
struct CardSelectionTests {
  static let contactless = AnswerToReset([0x3B, 0x88, 0x80, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 9])
  static let storage = AnswerToReset([UInt8](hexadecimal: "3B8F8001804F0CA000000306030001000000006A") ?? [])

  static func reader(_ name: String, _ card: AnswerToReset? = nil) -> CardReader {
    CardReader(name: name, card: card, isInUse: false, eventState: 0)
  }

  @Test("a reader of the list is the source of its own cards only, with PC/SC or without it")
  func source() async throws {
    let name = "No such reader 7f3a 00 00"
    let source = Self.reader(name).source(timeout: .zero)
    #expect(await !source.isAvailable())
    do {
      try await source.withCard { _ in }
      Issue.record("There is a card.")
    } catch let error as CardError {
      switch error {
      case .readerNotFound(let missing): #expect(missing == name)
      case .serviceUnavailable, .serviceUnresponsive, .accessDenied, .sessionRefused, .service: break
      default: Issue.record("\(error)")
      }
    }
  }

  @Test("finds the only contactless card among empty readers")
  func only() throws {
    let readers = [Self.reader("A"), Self.reader("B", Self.contactless)]
    #expect(try CardSelection().choose(from: readers) == .found(readers[1]))
    #expect(try CardSelection().choose(from: [Self.reader("A")]) == .wait)
  }

  @Test("reports two contactless cards as ambiguous, and selects one by a part of the reader's name")
  func two() throws {
    let readers = [Self.reader("ACME One", Self.contactless), Self.reader("ACME Two", Self.contactless)]
    #expect(throws: CardError.ambiguousReader(names: ["ACME One", "ACME Two"])) {
      try CardSelection().choose(from: readers)
    }
    #expect(try CardSelection(readerName: "two").choose(from: readers) == .found(readers[1]))
    #expect(throws: CardError.ambiguousReader(names: ["ACME One", "ACME Two"])) {
      try CardSelection(readerName: "acme").choose(from: readers)
    }
    #expect(throws: CardError.readerNotFound(name: "other")) {
      try CardSelection(readerName: "other").choose(from: readers)
    }
  }

  @Test("throws if there is no reader, unless it waits for one")
  func none() throws {
    #expect(throws: CardError.noReader) { try CardSelection().choose(from: []) }
    #expect(try CardSelection(waitsForReader: true).choose(from: []) == .wait)
  }

  @Test("rejects a storage card")
  func storageCard() {
    #expect(throws: CardError.notSmartCard) { try CardSelection().choose(from: [Self.reader("A", Self.storage)]) }
  }

  @Test("derives events from two states of the readers")
  func events() {
    let empty = Self.reader("A")
    let full = Self.reader("A", Self.contactless)
    #expect(ReaderEvent.between([], [empty]) == [.readerAdded(empty)])
    #expect(ReaderEvent.between([empty], []) == [.readerRemoved(name: "A")])
    #expect(ReaderEvent.between([empty], [full]) == [.cardInserted(reader: "A", Self.contactless)])
    #expect(ReaderEvent.between([full], [empty]) == [.cardRemoved(reader: "A")])
    #expect(ReaderEvent.between([full], [full]) == [])
    let replaced = CardReader(name: "A", card: Self.contactless, isInUse: false, eventState: 2 << 16)
    #expect(ReaderEvent.between([full], [replaced]).count == 2)
  }
}

@Suite("PC/SC return values")
struct PCSCStatusTests {
  @Test(
    "distinguishes a removed card, a reset card, a lost service and a transmission error",
    arguments: [
      (0x8010_0069, .cardRemoved), (0x8010_000C, .cardRemoved), (0x8010_0017, .cardRemoved),
      (0x8010_0068, .cardReset), (0x8010_001D, .serviceUnavailable), (0x8010_001E, .serviceUnavailable),
      (0x8010_0013, .serviceUnavailable), (0x8010_006A, .serviceUnavailable),
      (0x8010_0016, .transmission(code: 0x8010_0016)),
    ] as [(Int, CardError)])
  func cardErrors(_ value: Int, _ expected: CardError) {
    #expect(PCSCStatus(value).cardError == expected)
  }

  @Test(
    "a session that the service closed is a lost service, not a refusal of the user",
    arguments: [0x8010_0013, 0x8010_001D, 0x8010_001E, 0x8010_006A])
  func sessionErrors(_ value: Int) {
    #expect(PCSCStatus(value).error("SCardListReaders") == .serviceUnavailable)
    #expect(PCSCStatus(value).connectionError(reader: "A", isSessionOpen: false) == .serviceUnavailable)
  }

  @Test("the service may refuse a session and a connection")
  func refusals() {
    let refusal = PCSCStatus(0x8010_006A)
    #expect(refusal.sessionError(isListening: true, .asksPolkit) == .accessDenied)
    // Without polkit, the service refuses a session only if it has too many.
    #expect(refusal.sessionError(isListening: true, .asksNobody) == .sessionRefused(.tooManySessions))
    #expect(refusal.sessionError(isListening: true, .lacksPolkit) == .sessionRefused(.noPolkit))
    // The library compares its version with the service's.
    #expect(PCSCStatus(0x8010_001E).sessionError(isListening: true, .asksNobody) == .sessionRefused(.otherVersion))
    #expect(PCSCStatus(0x8010_001D).sessionError(isListening: true, .asksNobody) == .sessionRefused(.unknown))
    for status in [0x8010_001D, 0x8010_001E, 0x8010_006A] {
      #expect(PCSCStatus(status).sessionError(isListening: false, .asksNobody) == .serviceUnavailable)
    }
    #expect(refusal.connectionError(reader: "A", isSessionOpen: true) == .accessDenied)
    let inUse = PCSCStatus(0x8010_000B).connectionError(reader: "A", isSessionOpen: true)
    #expect(inUse == .readerInUse(reader: "A"))
    let unpowered = PCSCStatus(0x8010_0067).connectionError(reader: "A", isSessionOpen: true)
    #expect(unpowered == .cardUnpowered(reader: "A"))
  }
}

@Suite("Cancellation of a blocking call")
struct CancellableWaitTests {
  @Test("an interruption before the wait prevents it")
  func before() {
    let wait = CancellableWait()
    wait.interrupt {}
    #expect(!wait.begin())
  }

  @Test("repeats the interruption until the wait has ended")
  func during() async throws {
    let wait = CancellableWait()
    let (calls, continuation) = AsyncStream.makeStream(of: Void.self)
    #expect(wait.begin())
    wait.interrupt { continuation.yield() }
    var count = 0
    for await _ in calls {
      count += 1
      // The blocked call misses the first two and wakes up at the third.
      if count == 3 {
        wait.end()
        break
      }
    }
    #expect(count == 3)
  }
}
