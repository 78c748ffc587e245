import TesseraSmartCard
import Testing

@testable import TesseraPassport

/// EF.DIR and EF.ATR/INFO on chips whose application is selected at power-up.
@Suite("Files that are lists of data objects")
struct ObjectListTests {
  /// A chip that supports short identifiers only.
  actor ShortIdentifiers: CardChannel {
    private let files: [UInt8: [UInt8]]

    init(_ files: [UInt8: [UInt8]]) { self.files = files }

    func transmit(_ command: [UInt8]) -> [UInt8] {
      guard command[1] == 0xB0, command[2] & 0x80 != 0, let file = files[command[2] & 0x1F] else {
        return [0x6A, 0x82]
      }
      return file + [0x90, 0x00]
    }
  }

  private static func read(_ file: ElementaryFile, from bytes: [UInt8]) async throws -> [UInt8] {
    let channel = ShortIdentifiers([file.shortIdentifier: bytes])
    let reader = FileReader(session: ChipSession(channel: channel), extendedLength: .unavailable, cap: nil)
    return try await reader.readObjectList(file)
  }

  @Test("are read unchanged")
  func own() async throws {
    let template = BERTLV.encode(0x61, BERTLV.encode(0x4F, ElementaryFile.application))
    let labelled = BERTLV.encode(0x61, BERTLV.encode(0x50, [0x41]) + BERTLV.encode(0x4F, [0xA0, 0x01]))
    for bytes in [template, labelled + template] {
      #expect(try await Self.read(.directory, from: bytes) == bytes)
    }
    let information = BERTLV.encode(0x47, [0, 0, 0x80])
    #expect(try await Self.read(.cardInformation, from: information) == information)
  }

  @Test("are not confused with DG1 and EF.COM, which have the same short identifiers")
  func others() async throws {
    let group1 = BERTLV.encode(0x61, BERTLV.encode(0x5F1F, [UInt8](repeating: 0x3C, count: 88)))
    let common = BERTLV.encode(0x60, BERTLV.encode(0x5F01, Array("0107".utf8)))
    for file in [ElementaryFile.directory, .cardInformation] {
      for bytes in [group1, common] {
        await #expect(throws: PassportError.fileMalformed(file, "it does not begin as this file does")) {
          try await Self.read(file, from: bytes)
        }
      }
    }
  }
}
