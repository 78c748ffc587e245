import TestSupport
import Testing

@testable import TesseraBarcodes

@Suite("What a symbol contains is named")
struct ContentTests {
  static let boardingPass = "M1DESMARAIS/LUC       EABC123 YULFRAAC 0834 226F001A0025 100"

  static let contents: [(String, BarcodeContent)] = [
    ("{\"data\":{},\"sig\":{}}", .vdsNC),
    (" \r\n\t{ \"sig\" : 1 , \"data\" : 2 }", .vdsNC),
    ("[{\"data\":{},\"sig\":{}}]", .vdsNC), ("\u{FEFF} [ {\"sig\":1,\"data\":2}", .vdsNC), ("[", .unknown),
    ("[[{\"data\":{},\"sig\":{}}]]", .unknown), ("[1,{\"data\":{},\"sig\":{}}]", .unknown),
    ("{\"a\":[{\"b\":[]}],\"data\":{\"x\":\"}\"},\"sig\":{\"y\":\"\\\"\"}}", .vdsNC),
    ("\u{FEFF}{\"data\":{},\"sig\":{}}\n", .vdsNC), ("\u{FEFF}", .unknown),
    // Damaged after the names: the reader of the seal says what is wrong.
    ("{\"data\":{},\"sig\":", .vdsNC),
    ("{\"data\":{\"sig\":1}}", .unknown),
    ("{\"data\":\"sig\"}", .unknown),
    ("{\"x\":\"\\\",\\\"data\\\":1,\\\"sig\\\":2\"}", .unknown),
    ("{\"data\":1}{\"sig\":2}", .unknown),
    ("[{\"data\":1,\"sig\":2}]", .vdsNC),
    ("\"data\":1,\"sig\":2", .unknown),
    ("{", .unknown), ("{\"", .unknown), ("{\"data\":1,\"sig\\", .unknown), ("}", .unknown), ("{}", .unknown),
    ("RDB1DAAAA", .icaoBarcode), ("NDB1A", .icaoBarcode), ("IDB1", .icaoBarcode),
    ("RDB2DAAAA", .unknown), ("rdb1", .icaoBarcode), ("RDB", .unknown),
    ("DC04FR04XT4A0E840E8E0101FR02", .twoDDoc), ("DC02FR0000011E6A1E6A0126", .twoDDoc),
    ("DCXXFR", .unknown), ("DC04", .unknown), ("DC", .unknown),
    ("@\n\u{1E}\rANSI 636000100002DL", .aamva), ("@\r\n\u{1E}\rAAMVA6360", .aamva),
    ("@ANS", .unknown), ("@", .unknown), ("ANSI 6360", .unknown),
    ("HC1:6BF+70790T9WJWG.FKY*4GO0", .euHealthCertificate), ("HC1", .unknown), ("HC2:6BF", .unknown),
    (boardingPass, .boardingPass), (String(boardingPass.prefix(59)), .unknown),
    ("M0" + boardingPass.dropFirst(2), .unknown),
    ("", .unknown), ("https://example.org", .unknown), ("P<UTOERIKSSON<<ANNA<MARIA", .unknown),
  ]

  @Test("a text", arguments: contents)
  func text(_ text: String, _ content: BarcodeContent) { #expect(BarcodeContent(Array(text.utf8)) == content) }

  @Test("the magic byte of a seal is not the letters of a 2D-Doc")
  func magic() {
    #expect(BarcodeContent([0xDC]) == .visibleDigitalSeal)
    #expect(BarcodeContent([0xDC, 0x03, 0xD9, 0xC5]) == .visibleDigitalSeal)
    #expect(BarcodeContent(Array("DC03".utf8) + [0xD9]) == .twoDDoc)
    #expect(BarcodeContent([0, 0xDC]) == .unknown)
  }

  @Test("deep and long objects of JSON take a time that grows with their length only")
  func hostile() {
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
    #expect(BarcodeContent(Array("{\"data\":".utf8) + deep) == .unknown)
    #expect(BarcodeContent(Array("{\"sig\":1,\"data\":".utf8) + deep) == .vdsNC)
    let members = (0..<10_000).map { "\"\($0)\":0," }.joined()
    #expect(BarcodeContent(Array("{\(members)\"data\":1,\"sig\":2}".utf8)) == .unknown)
    #expect(BarcodeContent([UInt8](repeating: UInt8(ascii: " "), count: 100_000)) == .unknown)
    // Each of these strings is followed by nothing but spaces.
    let quotes = [UInt8](repeating: UInt8(ascii: "\""), count: 100_001)
    #expect(BarcodeContent(Array("{".utf8) + quotes) == .unknown)
    let spaced = (0..<300).flatMap { _ in Array("\"\"".utf8) + [UInt8](repeating: 0x20, count: 300) }
    #expect(BarcodeContent(Array("{".utf8) + spaced) == .unknown)
  }

  static let wholeSeals: [(String, Bool)] = [
    ("{\"data\":{},\"sig\":{}}", true), ("\u{FEFF} [ {\"sig\":1,\"data\":{\"a\":[\"}\"]}} ]\r\n", true),
    ("{\"data\":{},\"sig\":{}", false), ("{\"data\":{},\"sig\":{}} {", false), ("{\"data\":1,\"sig\":\"}", false),
    ("{\"data\":1,\"sig\":2}\u{0}", false), ("{\"data\":1}", false),
    ("RDB1A4BS26KQ", true), ("NDB1DAAAAAAAAAAA", true), ("RDB1A4BS26K", false), ("RDB1E4BS26KQ", false),
    ("RDB1A4BS26K1", false), ("RDB1A4BS26Kq", false), ("rdb1A4BS26KQ", false), ("RDB1A4BS26K=", false),
    ("RDB1 WITHOUT BASE32", false), ("DC04FR04XT4A0E840E8E0101FR02", false), (boardingPass, false), ("", false),
  ]

  @Test("a whole seal is told from what begins like one", arguments: wholeSeals)
  func whole(_ text: String, _ isWhole: Bool) {
    #expect(Barcode(format: .qrCode, bytes: Array(text.utf8), isText: true, corners: []).isWholeSeal == isWhole)
  }

  @Test("a whole seal in bytes has a known version, a header and room for a signature")
  func wholeBytes() {
    func isWhole(_ bytes: [UInt8]) -> Bool {
      Barcode(format: .qrCode, bytes: bytes, isText: false, corners: []).isWholeSeal
    }
    let rest = [UInt8](repeating: 0, count: 18)
    for version: UInt8 in 0...255 { #expect(isWhole([0xDC, version] + rest) == (version <= 3)) }
    for count in 0..<18 { #expect(!isWhole([0xDC, 3] + rest.prefix(count))) }
    #expect(!isWhole([0xDD, 3] + rest))
  }

  @Test("three kinds are seals, and each has a name")
  func kinds() {
    #expect(BarcodeContent.allCases.filter(\.isSeal) == [.visibleDigitalSeal, .vdsNC, .icaoBarcode])
    #expect(Set(BarcodeContent.allCases.map(\.name)).count == BarcodeContent.allCases.count)
    #expect(BarcodeContent.allCases.allSatisfy { $0.name.hasPrefix("a ") })
  }
}
