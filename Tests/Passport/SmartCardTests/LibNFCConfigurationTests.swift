import Foundation
import Testing

@testable import TesseraReaders
@testable import TesseraSmartCard

@Suite("libnfc: configuration, connection strings, activation data")
struct LibNFCConfigurationTests {
  private static let main = """
    # Allow device auto-detection (default: true)
    #allow_autoscan = false
    device.name = "one"
    device.connstring = "pn532_uart:/dev/ttyUSB0"
      device.connstring=pn532_i2c:/dev/i2c-1
    device.connstring = "not a device"
    allow_intrusive_scan = true
    """

  @Test("reads devices from files; the environment adds a default device or replaces all")
  func connstrings() {
    func texts(_ environment: [String: String]) -> [String] {
      LibNFCConfiguration(environment: environment, main: Self.main, devices: ["connstring = \"arygon:/dev/ttyS1\""])
        .connstrings.map(\.text)
    }
    let files = ["pn532_uart:/dev/ttyUSB0", "pn532_i2c:/dev/i2c-1", "arygon:/dev/ttyS1"]
    #expect(texts([:]) == files)
    #expect(texts(["LIBNFC_DEFAULT_DEVICE": "pn53x_usb:001:002"]) == ["pn53x_usb:001:002"] + files)
    #expect(texts(["LIBNFC_DEVICE": "pn53x_usb", "LIBNFC_DEFAULT_DEVICE": "x:y"]) == ["pn53x_usb"])
    #expect(texts(["LIBNFC_DEVICE": ""]) == files)
  }

  @Test("detects USB devices unless a file or the environment forbids it")
  func autoScan() {
    func looks(_ environment: [String: String], _ main: String) -> Bool {
      LibNFCConfiguration(environment: environment, main: main, devices: []).looksForDevices
    }
    #expect(looks([:], Self.main))
    #expect(!looks([:], "allow_autoscan = false"))
    #expect(looks(["LIBNFC_AUTO_SCAN": "true"], "allow_autoscan = no"))
    #expect(!looks(["LIBNFC_AUTO_SCAN": "0"], ""))
    #expect(looks(["LIBNFC_AUTO_SCAN": "perhaps"], "\u{0}=\n=\n = \nallow_autoscan"))
  }

  @Test(
    "parses the driver and the address of a connection string",
    arguments: [
      ("pn532_uart:/dev/ttyUSB0:115200", "pn532_uart", "/dev/ttyUSB0", 262),
      ("pn53x_usb:001:004", "pn53x_usb", nil, 262),
      ("acr122_usb:002:013", "acr122_usb", nil, 252), ("usb", "usb", nil, 262),
      ("pn532_i2c:/dev/i2c-1", "pn532_i2c", "/dev/i2c-1", 262),
    ] as [(String, String, String?, Int)])
  func parts(_ text: String, _ driver: String, _ node: String?, _ limit: Int) throws {
    let connstring = try LibNFCConnstring(text)
    #expect(connstring.driver == driver && connstring.node == node && connstring.commandLengthLimit == limit)
    #expect(connstring.isUSB == text.contains("usb:") || text == "usb")
    if driver == "pn53x_usb" { #expect(LibNFCConnstring.usb(driver: driver, bus: 1, device: 4) == connstring) }
  }

  @Test(
    "puts the historical bytes of a type A card into the answer to reset, with any interface bytes", arguments: 0...7)
  func historicalBytes(_ interface: Int) {
    let ats = [UInt8(interface << 4)] + [UInt8](repeating: 0x33, count: interface.nonzeroBitCount) + [0xC1, 0xC2]
    let target = LibNFCTarget(.a(selectAcknowledge: 0x20, answerToRequest: 0x0004, answerToSelect: ats))
    let checked: [UInt8] = [0x82, 0x80, 0x01, 0xC1, 0xC2]
    #expect(target.answerToReset.bytes == [0x3B] + checked + [checked.reduce(0, ^)])
  }

  @Test("composes an answer to reset without historical bytes from truncated activation data")
  func cutOff() {
    for ats in [[], [0x70], [0x70, 0x77], [0x70, 0x77, 0x80, 0x02]] as [[UInt8]] {
      let target = LibNFCTarget(.a(selectAcknowledge: 0x20, answerToRequest: 0, answerToSelect: ats))
      #expect(target.answerToReset.bytes == [0x3B, 0x80, 0x80, 0x01, 0x01])
      #expect(target.fastestBitRate(upTo: .kbit424) == (ats.count > 1 ? .kbit424 : .kbit106))
    }
    let b = LibNFCTarget(.b(applicationData: [], protocolInformation: [], attributeAnswer: 0))
    #expect(!b.isSmartCard && b.fastestBitRate(upTo: .kbit424) == .kbit106)
  }

  @Test("splits long commands, and rejects those that cannot be split")
  func chaining() async throws {
    for command in [
      [], [UInt8](repeating: 0, count: 263), [0, 1, 2, 3, 1] + [UInt8](repeating: 0, count: 300),
      [0, 1, 2, 3, 0, 1, 0] + [UInt8](repeating: 0, count: 300),
      [0, 1, 2, 3, 0, 0, 0] + [UInt8](repeating: 9, count: 300),
    ] as [[UInt8]] {
      #expect(throws: CardError.commandTooLongForReader(length: command.count, limit: 262)) {
        try ChainingChannel.parts(of: command, limit: 262)
      }
    }
    let long = try CommandAPDU(ins: 0x2A, p1: 0, p2: 0, data: [UInt8](repeating: 7, count: 300)).encoded()
    #expect(try ChainingChannel.parts(of: long, limit: 262).map(\.count) == [260, 50])
    #expect(try ChainingChannel.parts(of: long, limit: 7).count == 300)
    #expect(throws: CardError.commandTooLongForReader(length: 307, limit: 6)) {
      try ChainingChannel.parts(of: long, limit: 6)
    }
  }

  @Test("reads command chaining from the historical bytes")
  func announcement() {
    func announces(_ table: UInt8) -> Bool {
      AnswerToReset.contactless(historicalBytes: [0x80, 0x73, 0x80, 0x21, table]).announcesCommandChaining
    }
    #expect(announces(0x80) && announces(0xC0) && !announces(0x40))
  }

  @Test("distinguishes two devices with the same name")
  func sameName() throws {
    let readers = try ["pn53x_usb:001:002", "pn53x_usb:001:003"].map { text in
      CardReader(name: "SCL3711", connstring: try LibNFCConnstring(text))
    }
    #expect(ReaderEvent.between([readers[0]], [readers[0]]).isEmpty)
    #expect(ReaderEvent.between([readers[0]], readers) == [.readerAdded(readers[1])])
    #expect(ReaderEvent.between(readers, [readers[1]]) == [.readerRemoved(name: "SCL3711")])
  }

  @Test("an interruption before the call prevents it, one after the call aborts nothing")
  func interruptions() {
    let early = AbortableCall { Issue.record("aborted") }
    early.interrupt()
    #expect(!early.begin())
    let late = AbortableCall { Issue.record("aborted") }
    #expect(late.begin())
    late.end()
    late.interrupt()
  }
}
