import Testing

@testable import TesseraReaders
@testable import TesseraSmartCard

@Suite("Names of readers and their slots")
struct ReaderNameTests {
  private static let contactless = CardSelectionTests.contactless
  /// The answer of a SAM, from nfc-pcsc issue 56.
  private static let sam = AnswerToReset(
    [UInt8](hexadecimal: "3BDF18FF81F1FE43003F03834D494641524520506C75732053414D3B") ?? [])
  /// From acsccid issue 4: a slot for contacts, one for a passport, one for a SAM.
  private static let slots = (0..<3).map { "ACS ACR1281 1S Dual Reader 00 0\($0)" }

  private static func readers(_ cards: [AnswerToReset?], _ names: [String] = slots) -> [CardReader] {
    zip(names, cards).map { CardSelectionTests.reader($0, $1) }
  }

  @Test(
    "tells the slots of one reader from several readers of the same model",
    arguments: [
      (slots, true),
      (
        [
          "ACS ACR1252 Dual Reader [ACR1252 Dual Reader PICC] 00 00",
          "ACS ACR1252 Dual Reader [ACR1252 Dual Reader SAM] 01 00",
        ], true
      ),
      (["HID 5422 [OMNIKEY 5422] (KN1) 00 00", "HID 5422 [OMNIKEY 5422CL] (KN1) 01 00"], true),
      (["HID 5422 [OMNIKEY 5422] (KN1) 00 00", "HID 5422 [OMNIKEY 5422CL] (KN2) 01 00"], false),
      (["ACS ACR122U PICC Interface 00 00", "ACS ACR122U PICC Interface 01 00"], false),
      (["X [A] 00 00", "X [B] 01 00", "X [A] 02 00", "X [B] 03 00"], false),
      (["X 00 00", "X 01 01"], false), (["Lab 00 00", "Lab 1 00 00"], false), (["ACME One", "ACME Two"], false),
    ] as [([String], Bool)])
  func oneReader(_ names: [String], _ isOne: Bool) {
    #expect(SlotName.areOfOneReader(names) == isOne)
  }

  @Test("a name that all slots of one reader have selects the slot with the passport, and never the SAM")
  func slot() throws {
    let selection = CardSelection(readerName: "ACR1281")
    let read = Self.readers([nil, Self.contactless, Self.sam])
    #expect(try selection.choose(from: read) == .found(read[1]))
    let empty = Self.readers([nil, nil, Self.sam])
    #expect(try selection.choose(from: empty) == .wait)
    #expect(selection.noCard(in: empty) == .contactCardOnly(reader: Self.slots[2], seconds: 0))
    #expect(selection.noCard(in: Self.readers([nil, nil, nil])) == .noCard(seconds: 0))
    let two = Self.readers([Self.contactless, Self.contactless, nil])
    #expect(throws: CardError.ambiguousReader(names: Array(Self.slots[..<2]))) { try selection.choose(from: two) }
    // One slot by its whole name: also with a contact card.
    #expect(try CardSelection(readerName: Self.slots[2]).choose(from: empty) == .found(empty[2]))
  }

  @Test("two readers of the same model stay ambiguous, also if one of them has no card")
  func twoReaders() {
    let names = ["ACS ACR122U PICC Interface 00 00", "ACS ACR122U PICC Interface 01 00"]
    #expect(throws: CardError.ambiguousReader(names: names)) {
      try CardSelection(readerName: "ACR122U").choose(from: Self.readers([Self.contactless, nil], names))
    }
  }

  @Test("a name that is not UTF-8 is text, and goes back to the service unchanged")
  func bytes() {
    let latin: [UInt8] = [0x4C, 0x65, 0x73, 0x65, 0x67, 0x65, 0x72, 0xE4, 0x74]
    #expect(ReaderName.text(latin) == "Leseger\u{E4}t")
    #expect(ReaderName.bytes("Leseger\u{E4}t") == latin.map { CChar(bitPattern: $0) } + [0])
    #expect(ReaderName.text(Array("Ger\u{E4}t".utf8)) == "Ger\u{E4}t")
    #expect(ReaderName.bytes("Ger\u{E4}t") == Array("Ger\u{E4}t".utf8CString))
  }
}
