import TesseraCryptography
import TesseraPassport
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraVirtualChip

@Suite("Profiles of the virtual chip")
struct ChipProfileTests {
  @Test("every document has a profile, and names are unique")
  func names() {
    let names = ChipProfile.named.map(\.name)
    #expect(Set(names).count == names.count)
    for name in [
      "austria-2023", "canada-2023", "china-2018", "finland-2023", "finland-id-2023", "france-2017", "france-id-2024",
      "germany-2023", "hong-kong-2025", "malaysia-2023", "netherlands-2025", "new-zealand-2017", "russia-2020",
      "singapore-2023", "taiwan-2024", "united-kingdom-2021", "united-states-2021", "dh", "all", "bac",
    ] {
      #expect(ChipProfile(named: name)?.name == name)
    }
    #expect(ChipProfile.faulty.count == 17 && ChipProfile(named: "atlantis") == nil)
    #expect(ChipProfile.named.allSatisfy { !$0.summary.isEmpty && !$0.summary.contains("\n") })
  }

  static func group(_ number: Int, _ files: ChipFiles) throws -> [UInt8] {
    let file = try #require(ElementaryFile.dataGroup(number))
    return try #require(files[file])
  }

  @Test("every access control mechanism opens the chip, and the files are readable", arguments: ChipProfile.documents)
  func documents(_ profile: ChipProfile) throws {
    let files = try SpecimenDocument(profile: profile).files
    let block = profile.announcesExtendedLength ? profile.responseLimit - 60 : 220
    func check(_ terminal: inout TestTerminal) throws {
      #expect(try terminal.selectApplication() == "9000")
      for file in files.all {
        #expect(try terminal.read(file.shortIdentifier, block: block) == files[file], "\(file.name)")
      }
      let dump = try EFSOD(terminal.read(0x1D, block: block)).securityObject
      for (number, digest) in dump.digests {
        let file = try #require(ElementaryFile.dataGroup(number))
        #expect(try dump.hashAlgorithm.digest(of: terminal.read(file.shortIdentifier, block: block)) == digest)
      }
      #expect(dump.digests.count == files.all.count - 2)
    }
    for offer in profile.pace {
      for password in CardPassword.allCases {
        var terminal = TestTerminal(chip: try Chip(profile: profile, files: files))
        #expect(try terminal.pace(offer, password) == "9000", "\(offer.description)")
        if offer == profile.pace.first, password == .mrz { try check(&terminal) }
      }
    }
    if profile.requiresBasicAccessControl {
      var terminal = TestTerminal(chip: try Chip(profile: profile, files: files))
      #expect(try terminal.selectApplication() == "9000")
      #expect(try terminal.read(1).isEmpty, "the file is not readable")
      #expect(try terminal.basicAccess() == "9000")
      if profile.pace.isEmpty { try check(&terminal) }
    }
  }

  @Test(
    "DG14 repeats EF.CardAccess, and the chip has the private keys of DG14 and DG15",
    arguments: ChipProfile.documents)
  func authenticity(_ profile: ChipProfile) throws {
    let files = try SpecimenDocument(profile: profile).files
    var terminal = TestTerminal(chip: try Chip(profile: profile, files: files))
    if let offer = profile.pace.first {
      let access = try ChipSecurityInfos(profile).cardAccess()
      let infos = try SecurityInfos(#require(access))
      let signed = try SecurityInfos(BERTLV.value(of: 0x6E, in: Self.group(14, files)[...]))
      #expect(Set(infos.protocols).isSubset(of: signed.protocols) && infos.protocols.count == profile.pace.count)
      #expect(try terminal.pace(offer) == "9000")
      _ = try terminal.selectApplication()
    } else {
      _ = try terminal.selectApplication()
      #expect(try terminal.basicAccess() == "9000")
    }
    for offer in profile.chipAuthentication {
      #expect(try terminal.authenticateChip(offer) != nil)
      #expect(try terminal.read(1).count > 80, "under the new keys")
      if offer.cipher == .tripleDES {
        #expect(try terminal.authenticateChip(offer, template: true) != nil)
        #expect(try terminal.read(1).count > 80)
      }
    }
    let challenge: [UInt8] = [8, 7, 6, 5, 4, 3, 2, 1]
    let answer = try terminal.send([0x00, 0x88, 0, 0], challenge, profile.announcesExtendedLength ? 1024 : 256)
    switch profile.activeAuthentication {
    case nil: #expect(answer.status == "6D00")
    case .rsa(let bits, _, _, _): #expect(answer.status == "9000" && answer.data.count == bits / 8)
    case .ecdsa(_, let hash, _):
      let key = try PublicKey(
        subjectPublicKeyInfo: Array(BERTLV.value(of: 0x6F, in: Self.group(15, files)[...])))
      #expect(try key.verify(answer.data, over: challenge, .plainECDSA(hash)))
    }
  }

  @Test(
    "EF.CardSecurity is readable after PACE only, and the document signer signed it",
    arguments: ["germany-2023", "finland-id-2023"])
  func cardSecurity(_ name: String) throws {
    let profile = try #require(ChipProfile(named: name))
    var terminal = try TestTerminal(profile)
    #expect(try terminal.send([0x00, 0xB0, 0x9D, 0x00], [], 256).status == "6982")
    let offer = try #require(profile.pace.first { $0.mapping == .chipAuthentication })
    #expect(try terminal.pace(offer, .can) == "9000")
    let file = try terminal.read(0x1D)
    let signedData = try SignedData(file)
    let signer = try #require(signedData.signers.first)
    #expect(try signedData.verify(signer).get().subject == "CN=Document Signer 1,O=Tessera specimen,C=UT")
    #expect(signedData.contentType == "0.4.0.127.0.7.3.2.1")
    #expect(try SecurityInfos(signedData.content).offers("0.4.0.127.0.7.2.2.4.6"))
  }

  @Test("EF.ATR/INFO contains the APDU lengths, and EF.DIR the application")
  func information() throws {
    var terminal = try TestTerminal(try #require(ChipProfile(named: "austria-2023")))
    let information = try terminal.send([0x00, 0xB0, 0x81, 0x00], [], 256)
    #expect(information.data.hexadecimal == "47038021C07F660802" + "02FFFF02021002" && information.status == "9000")
    #expect(try terminal.send([0x00, 0xA4, 0x02, 0x0C], [0x2F, 0x00]).status == "9000")
    #expect(try terminal.send([0x00, 0xB0, 0, 0], [], 256).data.hexadecimal == "61094F07A0000002471001")
    var short = try TestTerminal(try #require(ChipProfile(named: "canada-2023")))
    #expect(try short.send([0x00, 0xB0, 0x81, 0x00], [], 256).data.hexadecimal == "4703802180")
    #expect(short.chip.answerToReset.announcesCommandChaining)
    #expect(try short.send([0x00, 0xB0, 0x81, 0x00], [], 1000).status == "6700")
  }

  @Test(
    "offset data objects read a file beyond 32 KB", arguments: ["germany-2023", "canada-2023", "bac", "open"])
  func largeFile(_ name: String) throws {
    let profile = try #require(ChipProfile(named: name))
    let zone = try MachineReadableZone(SpecimenDocument.content, format: .td3)
    let large = BERTLV.encode(0x75, (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) })
    let document = try SpecimenDocument(adding: [1: DataGroup1(zone: zone).encoded, 2: large], profile: profile)
    var terminal = TestTerminal(chip: try Chip(profile: profile, files: document.files))
    if let offer = profile.pace.first { #expect(try terminal.pace(offer) == "9000") }
    _ = try terminal.selectApplication()
    if profile.pace.isEmpty, profile.requiresBasicAccessControl { #expect(try terminal.basicAccess() == "9000") }
    #expect(try terminal.read(2, block: profile.announcesExtendedLength ? 9000 : 230) == large)
    // Beyond the end, without an offset, and with a short identifier.
    let beyond = BERTLV.encode(0x54, [0x01, 0x11, 0x75])
    #expect(try terminal.send([0x00, 0xB1, 0, 0], beyond, 100).status == "6B00")
    #expect(try terminal.send([0x00, 0xB1, 0, 0], [0x54, 0x00], 100).status == "6A80")
    let first = try terminal.send([0x00, 0xB1, 0, 0x01], [0x54, 0x01, 0x00], 100)
    #expect(first.data.starts(with: [0x53, 0x5D, 0x61, 0x5B]) && first.status == "6282")
  }
}
