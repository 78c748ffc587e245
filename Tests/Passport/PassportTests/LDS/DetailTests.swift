import TesseraPassport
import TesseraSmartCard
import TesseraVirtualChip
import TestSupport
import Testing

@Suite("DG5, DG7, DG11, DG12, DG16 and the unstructured groups")
struct DetailTests {
  @Test("parses tsemrtd's DG11 and compares its tag list with its fields")
  func sample11() throws {
    let group = try DataGroup11(Fixtures.specimen("tsemrtd", file: "EF_DG11.bin"))
    #expect(group.fullName == "Doe John" && group.otherNames == ["William"] && group.personalNumber == "123")
    #expect(group.dateOfBirth == FullDate("19700101") && group.dateOfBirth?.description == "1970-01-01")
    #expect(group.placeOfBirth == "TEST<TEST" && group.permanentAddress == "TEST<TEST" && group.telephone == "123")
    #expect(group.profession == "TEST" && group.title == "TEST" && group.personalSummary == "TEST")
    #expect(group.otherTravelDocuments == "123<123" && group.custodyInformation == "TEST")
    #expect(group.proofOfCitizenship == [0x00])
    #expect(
      Set(group.findings) == [
        FileFinding(.dg11, "other travel document numbers", .unlisted),
        FileFinding(.dg11, "proof of citizenship, image", .malformed("has an unknown format")),
      ])
  }

  @Test("parses tsemrtd's DG12")
  func sample12() throws {
    let group = try DataGroup12(Fixtures.specimen("tsemrtd", file: "EF_DG12.bin"))
    #expect(group.issuingAuthority == "TEST" && group.dateOfIssue?.description == "2024-01-01")
    #expect(group.otherPersons == ["William"] && group.endorsements == "TEST" && group.taxOrExitRequirements == "TEST")
    #expect(group.personalizationTime?.description == "2024-01-01 12:30:59" && group.personalizationSystem == "123")
    #expect(group.frontImage == [0x00] && group.rearImage == [0x00])
    #expect(group.findings.contains(FileFinding(.dg12, "tag list", .missing)))
    #expect(group.findings.count == 3)
  }

  @Test("parses tsemrtd's DG7 and encodes it unchanged")
  func sample7() throws {
    let file = Fixtures.specimen("tsemrtd", file: "EF_DG7.bin")
    let group = try DisplayedImages(.signatureOrMark, file)
    #expect(group.images.count == 1 && group.findings.isEmpty && group.encoded == file)
    let header = try ImageHeader(try #require(group.images.first))
    #expect(header.format == .jpeg2000 && header.size == ImageSize(width: 550, height: 142))
    #expect(header.components == 3 && header.bitsPerComponent == 8)
  }

  @Test("round trip of all fields, in any script and with several names")
  func built() throws {
    let groups = try SpecimenDocument.everyGroup()
    let personal = try DataGroup11(try #require(groups[11]))
    #expect(personal.findings.isEmpty && personal.encoded == groups[11])
    #expect(personal.fullName == "ΣΠΕΣΙΜΕΝ<<ΤΕΣΣΑ<ΜΑΡΙΑ")
    #expect(personal.otherNames == ["МОЗАИКА<<ТЕССА", "SPECIMEN<<TESS"])
    #expect(try DataGroup11(personal.encoded) == personal)
    let document = try DataGroup12(try #require(groups[12]))
    #expect(document.findings.isEmpty && document.encoded == groups[12] && document.otherPersons.count == 1)
    #expect(try DataGroup12(document.encoded) == document)
    let persons = try DataGroup16(try #require(groups[16]))
    #expect(persons.findings.isEmpty && persons.encoded == groups[16] && persons.persons.count == 2)
    #expect(persons.persons.map { $0.dateRecorded?.form } == [.packed, .characters])
    #expect(try DisplayedImages(.portrait, try #require(groups[5])).images == [SpecimenDocument.smallPortrait])
    for number in UnstructuredGroup.numbers where number != 6 {
      let file = try #require(ElementaryFile.dataGroup(number))
      #expect(try UnstructuredGroup(file, try #require(groups[number])).encoded == groups[number])
    }
    #expect(groups.keys.sorted() == [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 16])
  }

  @Test("dates in both forms, with and without a time, with unknown parts if the form can encode them")
  func dates() throws {
    for (text, form, bytes) in [
      ("19960812", FullDate.Form.packed, [0x19, 0x96, 0x08, 0x12]),
      ("19960812", .characters, Array("19960812".utf8)),
      ("20250701123059", .packed, [0x20, 0x25, 0x07, 0x01, 0x12, 0x30, 0x59]),
      ("1996<<<<", .characters, Array("1996<<<<".utf8)),
    ] {
      var group = DataGroup11()
      group.dateOfBirth = FullDate(text, form: form)
      #expect(group.dateOfBirth?.text == text)
      let read = try DataGroup11(group.encoded)
      #expect(read == group)
      #expect(group.encoded.suffix(bytes.count) == bytes[...])
    }
    #expect(FullDate("1996<<<<", form: .packed) == nil && FullDate("960812") == nil)
    #expect(FullDate("1996<<<<", form: .characters)?.description == "1996<<<<")
  }

  /// DG11 with these bytes as the date of birth.
  static func group(_ date: [UInt8]) throws -> DataGroup11 {
    try DataGroup11(BERTLV.encode(0x6B, BERTLV.encode(0x5C, [0x5F, 0x2B]) + BERTLV.encode(0x5F2B, date)))
  }

  @Test(
    "reports a value that is not a date, and keeps it unchanged",
    arguments: [
      ([0x19, 0x96, 0x0A, 0x12], "19960A12"), ([0x19, 0x64, 0x13, 0x32], "19641332"),
      ([0x19, 0x63, 0x02, 0x29], "19630229"), ([0x20, 0x25, 0x07, 0x01, 0x24, 0x00, 0x00], "20250701240000"),
      (Array("1964".utf8), "1964"), (Array("19641332".utf8), "19641332"), (Array("1964-12".utf8), "1964-12"),
      (Array("19640431".utf8), "19640431"), (Array("14 MAR 1964".utf8), "14 MAR 1964"), ([0x64], "d"), ([0xFF], "FF"),
    ] as [([UInt8], String)])
  func noDate(_ bytes: [UInt8], _ text: String) throws {
    let group = try Self.group(bytes)
    #expect(group.findings == [FileFinding(.dg11, "date of birth", .malformed("is not a date"))])
    #expect(group.dateOfBirth?.isDate == false && group.dateOfBirth?.description == text)
    #expect(try Self.group(bytes).encoded == group.encoded && group.encoded.suffix(bytes.count) == bytes[...])
  }

  @Test(
    "accepts a date with unknown parts",
    arguments: [
      ([0x19, 0x64, 0x00, 0x00], "19640000"), (Array("1964<<<<".utf8), "1964<<<<"),
      (Array("<<<<0229".utf8), "<<<<0229"),
      ([0x19, 0x64, 0x02, 0x29], "1964-02-29"),
    ] as [([UInt8], String)])
  func unknownParts(_ bytes: [UInt8], _ text: String) throws {
    let group = try Self.group(bytes)
    #expect(group.findings.isEmpty && group.dateOfBirth?.isDate == true && group.dateOfBirth?.description == text)
  }

  @Test("reports an empty date")
  func emptyDate() throws {
    let group = try Self.group([])
    #expect(group.dateOfBirth == nil && group.findings.map(\.element) == ["date of birth"])
  }

  @Test("decodes text that is not UTF-8 as Latin-1, and reports it")
  func latin() throws {
    let name = [UInt8]("M".utf8) + [0xDC] + Array("LLER".utf8)
    let group = try DataGroup11(BERTLV.encode(0x6B, BERTLV.encode(0x5C, [0x5F, 0x0E]) + BERTLV.encode(0x5F0E, name)))
    #expect(group.fullName == "MÜLLER")
    #expect(group.findings == [FileFinding(.dg11, "full name", .malformed("is not UTF-8"))])
  }
}
