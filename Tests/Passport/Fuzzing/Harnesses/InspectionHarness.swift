import Foundation
import TesseraSmartCard
import TesseraVerification

@testable import TesseraCryptography
@testable import TesseraPassport
@testable import TesseraVirtualChip

/// A whole read of a hostile chip, and its report. The first byte selects the profile, the second one the request, the
/// third one a file with content from the input; the responses follow (`HostileChannel`).
enum InspectionHarness: Harness {
  static let name = "inspection"

  private static let files: [ElementaryFile?] =
    [nil, .com, .sod, .cardAccess] + (1...16).map { ElementaryFile.dataGroup($0) }

  static func seeds() throws -> [String: [UInt8]] {
    let empty: [UInt8] = [0, 0, 0]
    var seeds: [String: [UInt8]] = [:]
    for index in ChipHarness.chips.indices { seeds["honest-\(index)"] = [UInt8(index), 0, 0] }
    seeds["number"] = [3, 1, 0]
    seeds["no-key"] = [1, 2] + [0]
    seeds["basic"] = [3, 4] + [0]
    seeds["small-blocks"] = [0, 8] + [0]
    seeds["files"] =
      [0, 0, 2] + Parts.piece(.digits("770230003100")) + [0x58, 6] + Parts.piece(.digits("6001006282"))
    seeds["removed"] = empty + [0x78, 0x78, 5]
    seeds["foreign"] = empty + [1] + Parts.piece([0x6A, 0x82]) + [1] + Parts.piece([0x90, 0x00])
    seeds["changed"] = [3, 0, 0, 0x28, 2, 0, 9, 1, 0x08, 3, 9, 4, 0x63, 0x00]
    seeds["group"] = [0, 0, 5] + Parts.piece(BERTLV.encode(0x75, [0x7F, 0x61, 0x03, 0x02, 0x01, 0x01]))
    return seeds
  }

  static func test(_ input: [UInt8]) throws {
    var parts = Parts(input)
    var chip = parts.choice(ChipHarness.chips)
    let wishes = parts.byte()
    if let file = parts.choice(files) {
      var contents = chip.files
      contents[file] = parts.piece()
      // These files are not valid for a chip.
      chip = try Chip(profile: chip.profile, files: contents)
    }
    let limit = chip.profile.announcesExtendedLength ? chip.profile.responseLimit : nil
    let card = Card(
      channel: HostileChannel(chip, parts), readerName: "fuzzing", answerToReset: chip.answerToReset,
      extendedLengthLimit: limit)
    let request = request(wishes)
    CallingThread.run {
      guard let dump = try? await Inspection.read(card, request) else { return }
      judge(dump)
    }
  }

  private static func request(_ wishes: Int) -> InspectionRequest {
    var request = InspectionRequest(key: information.map { .mrz($0) })
    if wishes & 1 != 0 { request.key = try? AccessKey(cardAccessNumber: ChipProfile.specimenCardAccessNumber) }
    if wishes & 2 != 0 { request.key = nil }
    request.skipsPACE = wishes & 4 != 0
    if wishes & 8 != 0 { request.maximumReadLength = 100 }
    if wishes & 16 != 0 { request.dataGroups = [1, 11, 14] }
    if wishes & 32 != 0 { request.terminalCredentials = credentials }
    if wishes & 64 != 0 { request.chipAuthentication = .never }
    return request
  }

  private static func judge(_ dump: DocumentDump) {
    let date = Date(timeIntervalSince1970: 1_750_000_000)
    if let report = try? Report(dump, at: date) {
      _ = report.headline
      property((try? report.json()) != nil, "a report has a JSON form")
    }
    guard let text = try? dump.evidence.json() else { return }
    property((try? ChipEvidence(json: text)) == dump.evidence, "evidence is encoded identically")
  }

  private static let information: MRZInformation? =
    (try? MachineReadableZone(SpecimenDocument.content, format: .td3)).flatMap { try? MRZInformation($0) }

  private static let credentials: TerminalCredentials? = {
    guard let terminal = try? SpecimenTerminal(), let key = try? PrivateKey(SecretBytes(terminal.privateKey)) else {
      return nil
    }
    return try? TerminalCredentials(certificates: terminal.certificates.map { try CVCertificate($0) }, key: key)
  }()
}
