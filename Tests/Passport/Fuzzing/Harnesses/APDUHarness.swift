@testable import TesseraSmartCard
@testable import TesseraVirtualChip

/// Commands, responses and the answer to reset.
enum APDUHarness: Harness {
  static let name = "apdu"

  static func seeds() throws -> [String: [UInt8]] {
    [
      "select": .digits("00A4040C07A0000002471001"), "read": .digits("00B0811E00"),
      "extended": .digits("00B00000000000"), "extended-data": .digits("0086000000000B7C09810700112233445566"),
      "both": .digits("00860000000003010203FFFF"), "answer": .digits("6F00840001029000"),
      "reset": AnswerToReset.contactless(historicalBytes: [0x80, 0x73, 0x80, 0x21, 0xC0]).bytes,
    ]
  }

  static func test(_ input: [UInt8]) throws {
    if let response = try? ResponseAPDU(input) {
      property(response.encoded == input, "a response is encoded unchanged")
    }
    let reset = AnswerToReset(input)
    _ = (reset.announcesExtendedLength, reset.announcesCommandChaining, reset.isStorageCard)
    for limit in [7, 8, 64, 261] {
      let parts = try? ChainingChannel.parts(of: input, limit: limit)
      property(parts?.allSatisfy { $0.count <= limit } ?? true, "no part is longer than the limit")
    }
    guard let command = CardCommand(input) else { return }
    property((1...65_536).contains(command.expectedLength ?? 1), "Ne")
    let sent = CommandAPDU(
      cla: command.cla, ins: command.ins, p1: command.p1, p2: command.p2, data: command.data,
      expectedLength: command.expectedLength)
    let again = CardCommand(try sent.encoded())
    property(again?.data == command.data && again?.expectedLength == command.expectedLength, "both sides agree")
    property(again?.header == command.header, "both sides agree on the header")
  }
}
