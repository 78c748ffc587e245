import Foundation
import TesseraSmartCard
import TesseraVerification

@testable import TesseraPassport
@testable import TesseraVirtualChip

/// Every elementary file, parsed and reported. The first byte selects the file, the second one how often the rest is
/// repeated, so that a small input can be a long file.
enum FilesHarness: Harness {
  static let name = "files"

  static let files: [ElementaryFile] =
    [.com, .sod, .cardAccess, .cardSecurity] + (1...16).compactMap(ElementaryFile.dataGroup)
    + [.directory, .cardInformation]

  static func seeds() throws -> [String: [UInt8]] {
    var contents = try SpecimenDocument.everyGroup()
    let document = try SpecimenDocument(profile: .mechanisms)
    for number in [14, 15] { contents[number] = ElementaryFile.dataGroup(number).flatMap { document.files[$0] } }
    contents[2] = DataGroup2(faces: [FacialImage(data: SpecimenDocument.signature, width: 240, height: 80)]).encoded
    contents[5] = DisplayedImages(.portrait, images: [SpecimenDocument.signature]).encoded
    contents[12] = DataGroup12().encoded
    var seeds: [String: [UInt8]] = [:]
    for (index, file) in files.enumerated() {
      let master = file == .cardSecurity ? document.files.masterFiles[.cardSecurity] : nil
      let access = file == .cardAccess ? try ChipSecurityInfos(.mechanisms).cardAccess() : nil
      let content = master ?? access ?? document.files[file] ?? file.dataGroup.flatMap { contents[$0] }
      seeds[file.name] = content.map { [UInt8(index), 0] + (file.dataGroup.flatMap { contents[$0] } ?? $0) }
    }
    // Long files that consist of objects, entries, templates or filler only.
    seeds["long-objects"] = [0, 0xCF, 0x31, 0x00]
    seeds["long-infos"] = [17, 0xDF, 0x30, 0x05, 0x06, 0x03, 0x04, 0x00, 0x7F]
    seeds["long-templates"] = [5, 0xEF, 0x7F, 0x60, 0x00]
    seeds["long-list"] = [0, 0xFF, 0x61]
    seeds["long-filler"] = [14, 0xCF, 0xFF]
    return seeds
  }

  static func test(_ input: [UInt8]) throws {
    var parts = Parts(input)
    let file = parts.choice(files)
    let repetition = parts.byte()
    var bytes = parts.all()
    if repetition >= 0xC0, !bytes.isEmpty {
      let count = min(32 << (repetition & 0x0F), (1 << 17) / bytes.count)
      bytes = [[UInt8]](repeating: bytes, count: count).flatMap { $0 }
      // In the outer object of the file.
      let inner: [UInt32] = [0, 0x31, 0x7F61, 0x5C]
      let tag = inner[repetition >> 4 & 0x03]
      bytes = BERTLV.encode(file.tag, tag == 0 ? bytes : BERTLV.encode(tag, bytes))
    }
    var dump = DocumentDump()
    dump.add(.dg1, sound)
    dump.add(file, bytes)
    let card = EFATRInfo(bytes)
    property(
      [card.longestCommand, card.longestResponse].allSatisfy { $0.map { (1...0xFF_FFFF).contains($0) } ?? true },
      "a card's longest APDU is a length")
    _ = dump.content.findings.map(\.failure.cause)
    _ = (dump.portrait, dump.content.listedDataGroups)
    _ = try Report(dump, at: Date(timeIntervalSince1970: 1_750_000_000)).json()
  }

  private static let sound: [UInt8] = {
    let zone = try? MachineReadableZone(SpecimenDocument.content, format: .td3)
    return zone.map { DataGroup1(zone: $0).encoded } ?? []
  }()
}
