import Foundation
import TesseraJSON
import TesseraPassport
import TesseraSmartCard
import TesseraVerification
import TesseraVirtualChip
import TestSupport
import Testing

@Suite("The content of the data groups in a report")
struct ReportContentTests {
  private func report(_ groups: [Int: [UInt8]]) async throws -> (Report, DocumentDump) {
    let files = try SpecimenDocument(groups: groups).files
    let card = VirtualCard.card(try Chip(profile: .open, files: files))
    let dump = try await Inspection.read(card, InspectionRequest(key: nil))
    return (try Report(dump), dump)
  }

  @Test("the holder has the names of the bridge, and the former ones, too")
  func names() async throws {
    let (report, _) = try await report(try SpecimenDocument.everyGroup())
    let names = ["surname", "givenNames"]
    let former = ["primaryIdentifier", "secondaryIdentifier"]
    let document = try JSONValue(text: report.json())["document"]
    let value = try report.value()["document"]
    for pair in [names, former] {
      #expect(pair.map { document?[$0] } == ["SPECIMEN", "TESSA MARIA"])
      #expect(pair.map { value?[$0] } == ["SPECIMEN", "TESSA MARIA"])
    }
    #expect(document?["sex"] == "F")
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    func holder(_ text: String) throws -> [String] {
      let document = try decoder.decode(Report.self, from: Data(text.utf8)).document
      return [document.primaryIdentifier, document.secondaryIdentifier, document.sex]
    }
    // The report of an inspector of an earlier version, and of one that writes the names of the bridge only.
    let json = try report.json()
    for absent in [names, former] {
      let text = absent.reduce(json) { $0.replacing("\"\($1)\"", with: "\"x\($1)\"") }
      #expect(try holder(text) == ["SPECIMEN", "TESSA MARIA", "F"])
    }
  }

  @Test("covers the whole specimen without any image bytes")
  func everything() async throws {
    let groups = try SpecimenDocument.everyGroup()
    let (report, dump) = try await report(groups)
    for (number, bytes) in groups where number != 3 && number != 4 { #expect(dump.dataGroups[number] == bytes) }
    #expect(report.failedChecks.isEmpty)
    let content = report.content
    #expect(content.findings.isEmpty)
    #expect(content.faces.map(\.image.format) == ["JPEG", "JPEG 2000", "JPEG 2000"])
    #expect(content.faces.map(\.image.width) == [413, 207, 207])
    #expect(content.faces.last?.standard == "ISO/IEC 39794-5")
    // DG3 and DG4 can be read only after Terminal Authentication.
    #expect(content.fingers == nil && content.irises == nil)
    #expect(content.displayedPortraits.map(\.bytes) == [SpecimenDocument.smallPortrait.count])
    #expect(content.signaturesOrMarks.map(\.width) == [240])
    #expect(content.personalDetails?.fullName == "ΣΠΕΣΙΜΕΝ<<ΤΕΣΣΑ<ΜΑΡΙΑ")
    #expect(content.personalDetails?.dateOfBirth == "1990-02-14")
    #expect(content.personalDetails?.proofOfCitizenship?.format == "JPEG")
    #expect(content.documentDetails?.dateOfIssue == "2025-07-01" && content.documentDetails?.rearImage?.height == 266)
    #expect(content.personsToNotify == 2)

    let json = try report.json()
    #expect(json.contains("ΣΠΕΣΙΜΕΝ<<ΤΕΣΣΑ<ΜΑΡΙΑ"))
    // The report has only the number of persons to notify, and no image bytes.
    #expect(!json.contains("THOMAS"))
    #expect(!json.split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "+" }).contains { $0.count > 64 })
  }

  @Test("lists a malformed group as a finding, while its raw file still matches its digest")
  func broken() async throws {
    var groups = try SpecimenDocument.everyGroup()
    groups[11] = BERTLV.encode(0x6B, [0x5C, 0x7F])
    groups[16] = BERTLV.encode(0x70, BERTLV.encode(0x02, [7]))
    let (report, dump) = try await report(groups)
    #expect(dump.dataGroups[11] == groups[11] && dump.dataGroups[16] == groups[16])
    #expect(report[.passiveHashes]?.status == .passed)
    #expect(report.content.personalDetails == nil && report.content.personsToNotify == 0)
    #expect(
      report.content.findings == [
        .init(file: "DG11", element: "data object 1", problem: "exceeds the enclosing data"),
        .init(file: "DG16", element: "number of templates", problem: "states 7, but there are 0"),
      ])
  }

  @Test("is empty for a document without these groups")
  func plain() async throws {
    let files = try SpecimenDocument().files
    let card = VirtualCard.card(try Chip(profile: .open, files: files))
    let content = try Report(try await Inspection.read(card, InspectionRequest(key: nil))).content
    #expect(content.faces.count == 1 && content.findings.isEmpty)
    #expect(content.personalDetails == nil && content.documentDetails == nil && content.personsToNotify == nil)
  }
}
