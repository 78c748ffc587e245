import TesseraPassport
import TesseraSmartCard
import TesseraVirtualChip
import TestSupport
import Testing

/// An inconsistent file and the expected finding.
struct Inconsistency: Sendable, CustomTestStringConvertible {
  let name: String
  let file: [UInt8]
  let element: String
  let problem: FileFinding.Problem
  /// Whether the file is unreadable.
  var isFatal = false

  var testDescription: String { name }
}

@Suite("Inconsistent data groups")
struct InconsistentGroupTests {
  private static let image = SpecimenDocument.signature
  private static let face = FacialImage(data: image, width: 240, height: 80)
  private static let record = "biometric information template 1, data block, facial record"

  /// The DG2 with one face and with replaced bytes in its record: `FAC` is at 0.
  private static func changed(_ changes: [Int: UInt8]) -> [UInt8] {
    var file = DataGroup2(faces: [face]).encoded
    let identifier: [UInt8] = [0x46, 0x41, 0x43, 0x00]
    guard let start = file.indices.first(where: { file[$0...].starts(with: identifier) }) else { return [] }
    for (offset, byte) in changes { file[start + offset] = byte }
    return file
  }

  static let faces: [Inconsistency] = [
    Inconsistency(
      name: "record length", file: changed([8: 0x7F]), element: "\(record), length of record",
      problem: .length(stated: 0x7F00_0000 + image.count + 46, found: image.count + 46)),
    Inconsistency(
      name: "more images than there are", file: changed([13: 2]), element: "\(record), facial image 2, block length",
      problem: .truncated),
    Inconsistency(
      name: "65,535 images", file: changed([12: 0xFF, 13: 0xFF]), element: "\(record), facial image 2, block length",
      problem: .truncated),
    Inconsistency(
      name: "no image", file: changed([12: 0, 13: 0]), element: "facial image", problem: .missing, isFatal: true),
    Inconsistency(
      name: "block of four gigabytes", file: changed([14: 0xFF]), element: "\(record), facial image 1, image",
      problem: .truncated, isFatal: true),
    Inconsistency(
      name: "block of nothing", file: changed([16: 0, 17: 0]), element: "\(record), facial image 1, block length",
      problem: .malformed("leaves no bytes for the image"), isFatal: true),
    Inconsistency(
      name: "65,535 feature points", file: changed([18: 0xFF, 19: 0xFF]),
      element: "\(record), facial image 1, block length", problem: .malformed("leaves no bytes for the image"),
      isFatal: true),
    Inconsistency(
      name: "size", file: changed([36: 0xFF, 37: 0xFF]), element: "\(record), facial image 1, image size",
      problem: .imageSize(
        stated: ImageSize(width: 65_535, height: 80), found: ImageSize(width: 240, height: 80))),
    Inconsistency(
      name: "format", file: changed([35: 1]), element: "\(record), facial image 1, image data type",
      problem: .imageFormat(stated: "JPEG 2000", found: "JPEG")),
    Inconsistency(
      name: "no image format", file: changed([46: 0]), element: "\(record), facial image 1, image",
      problem: .malformed("has an unknown format")),
    Inconsistency(
      name: "an image of another format", file: changed([46: 0x47, 47: 0x49, 48: 0x46, 49: 0x38]),
      element: "\(record), facial image 1, image",
      problem: .malformed("is a GIF picture, which Tessera does not support")),
    Inconsistency(
      name: "edition of 2011", file: changed([5: 0x33]), element: "\(record), version number",
      problem: .malformed("is 030, that of ISO/IEC 19794-5:2011, which Tessera does not support"), isFatal: true),
  ]

  @Test("the editions of 2011 of the other records are named too")
  func editions() throws {
    let finger = FingerRecord(
      compression: 2, images: [FingerRecord.Image(position: 1, width: 1, height: 1, data: [])])
    let iris = IrisRecord(
      imageFormat: 2, eyes: [IrisRecord.Eye(position: 1, images: [IrisRecord.Image(number: 1, data: [])])])
    func changed(_ file: [UInt8], _ identifier: String) throws -> [UInt8] {
      var file = file
      let start = try #require(file.indices.first { file[$0...].starts(with: Array("\(identifier)\0010".utf8)) })
      file[start + 5] = 0x32
      return file
    }
    for (standard, read): (String, () throws -> Void) in [
      ("ISO/IEC 19794-4", { _ = try DataGroup3(changed(DataGroup3(records: [finger]).encoded, "FIR")) }),
      ("ISO/IEC 19794-6", { _ = try DataGroup4(changed(DataGroup4(records: [iris]).encoded, "IIR")) }),
    ] {
      let error = #expect(throws: FileFinding.self) { try read() }
      #expect(error?.problem == .malformed("is 020, that of \(standard):2011, which Tessera does not support"))
    }
  }

  /// DG2 of templates with `count` facial images of one byte each.
  private static func faces(_ counts: Int...) -> [UInt8] {
    let tiny = FacialImage(data: [0], width: 1, height: 1)
    return DataGroup2(
      templates: counts.flatMap { DataGroup2(faces: [FacialImage](repeating: tiny, count: $0)).templates }
    ).encoded
  }

  @Test("accepts at most 1024 images, in one record or in all")
  func tooMany() throws {
    #expect(try DataGroup2(Self.faces(1024)).faces.count == 1024)
    #expect(throws: FileFinding(.dg2, Self.record, .tooMany(limit: 1024))) { try DataGroup2(Self.faces(1025)) }
    #expect(throws: FileFinding(.dg2, "facial images", .tooMany(limit: 1024))) {
      try DataGroup2(Self.faces(600, 600))
    }
    func irises(_ counts: Int...) throws -> DataGroup4 {
      let image = IrisRecord.Image(number: 1, data: [])
      let eyes = counts.map { IrisRecord.Eye(position: 1, images: [IrisRecord.Image](repeating: image, count: $0)) }
      return try DataGroup4(DataGroup4(records: [IrisRecord(imageFormat: 2, eyes: eyes)]).encoded)
    }
    #expect(try irises(512, 512).count == 1024)
    #expect(throws: FileFinding.self) { try irises(512, 513) }
  }

  @Test("an unreadable template does not affect the others")
  func brokenTemplate() throws {
    let good = DataGroup2(faces: [Self.face])
    let content = try BERTLV.value(of: 0x7F61, in: BERTLV.value(of: 0x75, in: good.encoded[...]))
    let template = BERTLV.encode(0x7F60, Array(try BERTLV.value(of: 0x7F60, in: content.dropFirst(3))))
    let empty = BERTLV.encode(0x7F60, BERTLV.encode(0xA1, []))
    for (first, second, number) in [(template, empty, 2), (empty, template, 1)] {
      let file = BERTLV.encode(0x75, BERTLV.encode(0x7F61, BERTLV.encode(0x02, [2]) + first + second))
      let group = try DataGroup2(file)
      #expect(group.portrait?.data == Self.image && group.faces.count == 1)
      let missing = FileFinding(.dg2, "biometric information template \(number), data block", .missing)
      #expect(group.findings == [missing])
    }
  }

  @Test("in DG2", arguments: faces)
  func face(_ inconsistency: Inconsistency) throws { try expect(inconsistency) { try DataGroup2($0).findings } }

  static let images: [Inconsistency] = [
    Inconsistency(
      name: "count", file: BERTLV.encode(0x65, BERTLV.encode(0x02, [9]) + BERTLV.encode(0x5F40, image)),
      element: "number of instances", problem: .count(stated: 9, found: 1)),
    Inconsistency(
      name: "long count", file: BERTLV.encode(0x65, BERTLV.encode(0x02, [0, 1]) + BERTLV.encode(0x5F40, image)),
      element: "number of instances", problem: .malformed("is not a single byte")),
    Inconsistency(
      name: "none", file: BERTLV.encode(0x65, BERTLV.encode(0x02, [1])), element: "displayed portrait",
      problem: .missing, isFatal: true),
    Inconsistency(
      name: "length beyond the file", file: [0x65, 0x06, 0x02, 0x01, 0x01, 0x5F, 0x40, 0x7F],
      element: "data object 2", problem: .truncated, isFatal: true),
    Inconsistency(
      name: "indefinite length", file: [0x65, 0x04, 0x5F, 0x40, 0x80, 0x00],
      element: "data object 1", problem: .malformed("has a malformed length"), isFatal: true),
    Inconsistency(
      name: "other file", file: [0x67, 0x00], element: "its tag and length",
      problem: .malformed("has an unexpected tag"), isFatal: true),
    Inconsistency(
      name: "thousands of objects", file: BERTLV.encode(0x65, [[UInt8]](repeating: [0x02, 0], count: 3000).joined()),
      element: "its content", problem: .tooMany(limit: 1024), isFatal: true),
  ]

  @Test("in DG5", arguments: images)
  func image(_ inconsistency: Inconsistency) throws {
    try expect(inconsistency) { try DisplayedImages(.portrait, $0).findings }
  }

  private static func details(_ list: [UInt8], _ content: [UInt8]) -> [UInt8] {
    BERTLV.encode(0x6B, BERTLV.encode(0x5C, list) + content)
  }

  static let details: [Inconsistency] = [
    Inconsistency(
      name: "listed, but absent", file: details([0x5F, 0x0E], []), element: "full name", problem: .listedButAbsent),
    Inconsistency(
      name: "present, but not listed", file: details([], BERTLV.encode(0x5F0E, [0x41])), element: "full name",
      problem: .unlisted),
    Inconsistency(
      name: "twice", file: details([0x5F, 0x0E], BERTLV.encode(0x5F0E, [0x41]) + BERTLV.encode(0x5F0E, [0x42])),
      element: "full name", problem: .repeated),
    Inconsistency(
      name: "unknown", file: details([], BERTLV.encode(0x5F7F, [0x41])), element: "data object 5F7F",
      problem: .unknown),
    Inconsistency(
      name: "half a tag", file: details([0x5F], []), element: "tag list", problem: .truncated, isFatal: true),
    Inconsistency(
      name: "count of names",
      file: details([0x5F, 0x0F], BERTLV.encode(0xA0, BERTLV.encode(0x02, [3]) + BERTLV.encode(0x5F0F, [0x41]))),
      element: "group of other name 1, count", problem: .count(stated: 3, found: 1)),
    Inconsistency(
      name: "name without its group", file: details([0x5F, 0x0F], BERTLV.encode(0x5F0F, [0x41])),
      element: "other name 1", problem: .unknown),
  ]

  @Test("in DG11", arguments: details)
  func detail(_ inconsistency: Inconsistency) throws { try expect(inconsistency) { try DataGroup11($0).findings } }

  static let persons: [Inconsistency] = [
    Inconsistency(
      name: "count", file: BERTLV.encode(0x70, BERTLV.encode(0x02, [2]) + BERTLV.encode(0xA1, [])),
      element: "number of templates", problem: .count(stated: 2, found: 1)),
    Inconsistency(
      name: "unknown", file: BERTLV.encode(0x70, BERTLV.encode(0xB1, [])), element: "data object B1",
      problem: .unknown),
    Inconsistency(
      name: "date", file: BERTLV.encode(0x70, BERTLV.encode(0xA1, BERTLV.encode(0x5F50, [0xFF, 0, 0, 0]))),
      element: "person 1, date recorded", problem: .malformed("is not a date")),
  ]

  @Test("in DG16", arguments: persons)
  func person(_ inconsistency: Inconsistency) throws { try expect(inconsistency) { try DataGroup16($0).findings } }

  /// The face image block of the specimen with another list of representations.
  private static func block(_ content: [UInt8]) -> [UInt8] {
    FaceTests.file(record: BERTLV.encode(0xA1, BERTLV.encode(0x65, content)), tag: 0x7F2E)
  }

  private static let version = BERTLV.encode(0xA0, [0x80, 0x01, 0x03, 0x81, 0x02, 0x07, 0xE3])
  private static let outer = "biometric information template 1, data block, face image data block"

  static let blocks: [Inconsistency] = [
    Inconsistency(
      name: "no version", file: block(BERTLV.encode(0xA1, [])), element: "\(outer), version block", problem: .missing,
      isFatal: true),
    Inconsistency(
      name: "no representation", file: block(version + BERTLV.encode(0xA1, [])),
      element: "\(outer), representation blocks", problem: .missing, isFatal: true),
    Inconsistency(
      name: "empty representation", file: block(version + BERTLV.encode(0xA1, [0x30, 0x00])),
      element: "\(outer), representation 1, representation id", problem: .missing, isFatal: true),
    Inconsistency(
      name: "number of nine bytes",
      file: block(version + BERTLV.encode(0xA1, BERTLV.encode(0x30, [0x80, 9] + [UInt8](repeating: 1, count: 9)))),
      element: "\(outer), representation 1, representation id",
      problem: .malformed("is not an INTEGER of one to seven bytes"), isFatal: true),
    Inconsistency(
      name: "field twice", file: block(version + version), element: "\(outer), field 0", problem: .repeated,
      isFatal: true),
    Inconsistency(
      name: "of fingers", file: FaceTests.file(record: FingerAndIrisTests.fingerSample, tag: 0x7F2E),
      element: "biometric information template 1, data block, face image data block", problem: .missing,
      isFatal: true),
  ]

  @Test("in an ISO/IEC 39794-5 block", arguments: blocks)
  func block(_ inconsistency: Inconsistency) throws { try expect(inconsistency) { try DataGroup2($0).findings } }

  private func expect(_ inconsistency: Inconsistency, _ read: ([UInt8]) throws -> [FileFinding]) throws {
    let found: [FileFinding]
    do {
      found = try read(inconsistency.file)
      #expect(!inconsistency.isFatal, "it was read")
    } catch let finding as FileFinding {
      found = [finding]
      #expect(inconsistency.isFatal, "\(finding)")
    }
    #expect(found.map(\.element) == [inconsistency.element])
    #expect(found.map(\.problem) == [inconsistency.problem])
    for finding in found { #expect(finding.failure.cause.contains(inconsistency.element)) }
  }
}
