import Foundation
import TesseraPassport
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraVirtualChip

@Suite("The virtual chip")
struct ChipTests {
  static func chip(_ profile: ChipProfile = .bac) throws -> Chip {
    try Chip(profile: profile, files: SpecimenDocument().files)
  }

  /// Sends commands and returns the last status word.
  static func status(_ chip: inout Chip, _ commands: String...) throws -> String {
    var answer: [UInt8] = []
    for command in commands { answer = chip.process(try #require([UInt8](hexadecimal: command))) }
    return answer.suffix(2).hexadecimal
  }

  static let select = "00A4040C07A0000002471001"

  @Test(
    "returns these status words before the selection of the application",
    arguments: [
      ("00B0000000", "6986"), ("00B09E0000", "6A82"), (select, "9000"), ("00A4040C07A0000002471099", "6A82"),
      ("00A4000C023F00", "9000"), ("0084000008", "6D00"), ("00CA000000", "6D00"), ("80B0000000", "6E00"),
      ("00", "6700"),
      ("00A4040C08A0", "6700"), ("0CB0000000", "6882"), ("00A4020C02FFFF", "6A82"),
    ])
  func plain(_ command: String, _ expected: String) throws {
    var chip = try Self.chip()
    #expect(try Self.status(&chip, command) == expected)
  }

  @Test(
    "returns these status words before access control",
    arguments: [
      ("00B09E0000", "6982"), ("00A4020C02011E", "6982"), ("00A4020C020103", "6A82"), ("0084000008", "9000"),
      ("0084000010", "6700"), ("00820000" + "28" + String(repeating: "00", count: 40) + "28", "6985"),
    ])
  func application(_ command: String, _ expected: String) throws {
    var chip = try Self.chip()
    #expect(try Self.status(&chip, Self.select, command) == expected)
  }

  @Test("refuses a wrong cryptogram, and accepts one attempt per challenge")
  func wrongCryptogram() throws {
    var chip = try Self.chip()
    let authenticate = "00820000" + "28" + String(repeating: "00", count: 40) + "28"
    #expect(try Self.status(&chip, Self.select, "0084000008", authenticate) == "6300")
    #expect(try Self.status(&chip, authenticate) == "6985")
  }

  @Test("without access control, files are readable at once, with a warning at their end")
  func open() throws {
    var chip = try Self.chip(.open)
    #expect(try Self.status(&chip, Self.select, "00B0810000") == "9000")
    #expect(try Self.status(&chip, "00B0000060") == "6282")
    #expect(try Self.status(&chip, "00B00000" + "5D") == "9000")
    #expect(try Self.status(&chip, "00B0005D01") == "6B00")
  }

  @Test("random commands never trap")
  func random() throws {
    for profile in ChipProfile.named {
      var chip = try Self.chip(profile)
      _ = try Self.status(&chip, Self.select)
      for _ in 0..<1000 {
        var bytes = (0..<Int.random(in: 0...20)).map { _ in UInt8.random(in: 0...255) }
        if bytes.count > 4, Bool.random() {
          bytes[0] = [0x00, 0x0C, 0x10, 0x1C].randomElement() ?? 0
          bytes[1] = [0xA4, 0xB0, 0xB1, 0x84, 0x82, 0x22, 0x86, 0x88, 0x2A, 0xC0].randomElement() ?? 0
          bytes[4] = UInt8(truncatingIfNeeded: bytes.count - 5)
        }
        #expect(chip.process(bytes).count >= 2)
      }
    }
  }

  @Test("the answer to reset has a correct check byte")
  func answerToReset() throws {
    for profile in ChipProfile.named {
      let answer = try Self.chip(profile).answerToReset
      #expect(answer.bytes.dropFirst().reduce(0, ^) == 0)
      #expect(answer.isContactless && answer.announcesExtendedLength == (profile.responseLimit > 256))
    }
  }
}

@Suite("Documents of the virtual chip")
struct ChipFilesTests {
  @Test("identifies the files of a folder by their content")
  func folder() throws {
    let files = try ChipFiles(folder: Fixtures.specimen("bsi2008"))
    #expect(Set(files.all.map(\.name)) == ["EF.COM", "EF.SOD", "DG1", "DG2", "DG14", "DG15"])
    #expect(files[.dg1] == Fixtures.specimen("bsi2008", file: "Datagroup1.bin"))
    #expect(files.mrzInformation != nil)
  }

  @Test("identifies the files of the master file by their names")
  func masterFiles() throws {
    let profile = try #require(ChipProfile(named: "germany-2023"))
    let files = try SpecimenDocument(profile: profile).files
    let folder = try TemporaryFolder()
    let signed = try #require(files.masterFiles[.cardSecurity])
    for (name, bytes) in [
      ("DG1.bin", files[.dg1] ?? []), ("EF.CardSecurity.bin", signed), ("EF.DIR.bin", [0x61, 0x00]),
      ("EF.ATR.bin", [0x47, 0x00]), ("ef_card_access", [0x31, 0x00]), ("notes-cardsecurity.txt", [0x41, 0x00]),
    ] {
      try Data(bytes).write(to: URL(fileURLWithPath: folder.file(name)))
    }
    let read = try ChipFiles(folder: URL(fileURLWithPath: folder.file("")))
    #expect(read.masterFiles == [.cardSecurity: signed, .directory: [0x61, 0x00], .information: [0x47, 0x00]])
    #expect(read.all == [.dg1, .cardAccess])
  }

  @Test("reports a folder without elementary files")
  func empty() {
    #expect(throws: ChipFilesError.self) {
      try ChipFiles(folder: Fixtures.tests.appendingPathComponent("Bridge/BridgeTests"))
    }
    #expect(throws: ChipFilesError.self) { try ChipFiles(folder: Fixtures.tests.appendingPathComponent("nowhere")) }
    #expect(throws: ChipFilesError.noKey) { try Chip(profile: .bac, files: ChipFiles([:])) }
  }

  @Test("the specimen has a JPEG portrait of about 15 KB, and two instances differ only in their signatures")
  func specimen() throws {
    #expect((14_000...18_000).contains(SpecimenDocument.portrait.count))
    #expect(SpecimenDocument.portrait.starts(with: [0xFF, 0xD8, 0xFF]))
    let (first, second) = (try SpecimenDocument(), try SpecimenDocument())
    #expect(first.files[.dg1] == second.files[.dg1] && first.files[.dg2] == second.files[.dg2])
    #expect(try first.countrySigner.publicKey == second.countrySigner.publicKey)
    #expect(first.countrySigner.subject == "CN=CSCA Utopia,O=Tessera specimen,C=UT")
  }
}
