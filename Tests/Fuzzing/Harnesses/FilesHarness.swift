import Foundation
@testable import Passport
import SmartCard
@testable import VirtualChip

/// Every elementary file, as a read takes it in and a report tells it. The first byte names the file, the second one how
/// often the rest is repeated, so that a small input may be a long file.
enum FilesHarness: Harness {
  static let name = "files"

  static let files: [ElementaryFile] =
    [.com, .sod, .cardAccess, .cardSecurity] + (1...16).compactMap(ElementaryFile.dataGroup)

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
    seeds["long"] = [0, 0xFF, 0x31, 0x00]
    return seeds
  }

  static func test(_ input: [UInt8]) throws {
    var parts = Parts(input)
    let file = parts.choice(files)
    let repetition = parts.byte()
    var bytes = parts.all()
    if repetition >= 0xF0, !bytes.isEmpty {
      // Inside a frame that holds it all.
      let count = min(1 << (repetition & 0x0F), (1 << 20) / bytes.count)
      bytes = BERTLV.encode(file.tag, [[UInt8]](repeating: bytes, count: count).joined().map { $0 })
    }
    var dump = DocumentDump()
    dump.add(.dg1, sound)
    dump.add(file, bytes)
    _ = dump.content.findings.map(\.failure.cause)
    _ = (dump.portrait, dump.content.listedDataGroups)
    _ = try Report(dump, at: Date(timeIntervalSince1970: 1_750_000_000)).json()
  }

  private static let sound: [UInt8] = {
    let zone = try? MachineReadableZone(SpecimenDocument.content, format: .td3)
    return zone.map { DataGroup1(zone: $0).encoded } ?? []
  }()
}
