import TesseraPassport
import TesseraSmartCard
import TesseraVirtualChip
import TestSupport
import Testing

@Suite("DG3 and DG4, fingers and irises")
struct FingerAndIrisTests {
  static let header = BiometricHeader([.init(0x81, [0x08]), .init(0x87, [0x01, 0x01]), .init(0x88, [0x00, 0x00])])
  /// Sample blocks of ISO/IEC 39794-4 and -6, the latter with a truncated image.
  static let fingerSample = Fixtures.specimen("iso39794", file: "sample-39794-4-ed-1-v1.der")
  static let irisSample = Fixtures.specimen("iso39794", file: "sample-39794-6-ed-1-v1-cut.der")

  @Test("parses the standard's finger block, with and without the enclosing object, and encodes it unchanged")
  func fingerBlock() throws {
    for encoded in [Self.fingerSample, BERTLV.encode(0xA1, Self.fingerSample)] {
      let block = try FingerImageBlock(encoded: encoded)
      let group = DataGroup3(templates: [BiometricTemplate(header: Self.header, block: .iso39794(block))])
      let read = try DataGroup3(group.encoded)
      #expect(read == group && read.count == 1)
      let finger = try #require(block.representations.first)
      #expect(finger.position == 2 && finger.impression == 1 && finger.dataFormat == 4)
      #expect(finger.format == .png && finger.data.count == 689 && finger.captureTime?.day == 30)
      #expect(try ImageHeader(finger.data).size == ImageSize(width: 24, height: 24))
    }
  }

  @Test("parses the standard's iris block and encodes it unchanged")
  func irisBlock() throws {
    let block = try IrisImageBlock(encoded: Self.irisSample)
    let group = DataGroup4(templates: [BiometricTemplate(header: Self.header, block: .iso39794(block))])
    #expect(try DataGroup4(group.encoded) == group)
    let iris = try #require(block.representations.first)
    #expect(iris.eye == 1 && iris.imageKind == 2 && iris.bitDepth == 8 && iris.dataFormat == 2)
    #expect(iris.format == .png)
    #expect(try ImageHeader(iris.data).size == ImageSize(width: 640, height: 480))
  }

  @Test("round trip of the specimen's fingers and irises")
  func built() throws {
    let groups = try SpecimenDocument.everyGroup()
    let fingers = try DataGroup3(try #require(groups[3]))
    #expect(fingers.findings.isEmpty && fingers.count == 2 && fingers.templates.count == 2)
    #expect(fingers.templates.map(\.header.type) == [[0x08], [0x08]])
    #expect(fingers.encoded == groups[3])
    guard case .iso19794(let prints)? = fingers.templates.first?.block else {
      Issue.record("no ISO/IEC 19794-4 record")
      return
    }
    // Pixels per inch.
    #expect(prints.scaleUnits == 1)
    let irises = try DataGroup4(try #require(groups[4]))
    #expect(irises.findings.isEmpty && irises.count == 2 && irises.encoded == groups[4])
    guard case .iso19794(let record)? = irises.templates.first?.block else {
      Issue.record("no ISO/IEC 19794-6 record")
      return
    }
    #expect(record.eyes.map(\.position) == [1, 2] && record.images.allSatisfy { $0.data.count == 256 })
  }

  @Test("a group without templates is valid")
  func none() throws {
    let group = try DataGroup3(DataGroup3(templates: []).encoded)
    #expect(group.count == 0 && group.templates.isEmpty && group.findings.isEmpty)
  }

  /// The start of a WSQ file: comment, quantization table, frame header.
  static func wsq(width: UInt16, height: UInt16) -> [UInt8] {
    let comment: [UInt8] = [0xFF, 0xA8, 0x00, 0x04, 0x4E, 0x49]
    let frame: [UInt8] = [0xFF, 0xA2, 0x00, 0x11, 0x00, 0xFF]
    let size = [UInt8(height >> 8), UInt8(height & 0xFF), UInt8(width >> 8), UInt8(width & 0xFF)]
    return [0xFF, 0xA0] + comment + frame + size + [UInt8](repeating: 0, count: 9)
  }

  @Test("compares a WSQ header with the statements of the record")
  func wsqHeader() throws {
    func read(_ width: UInt16, compression: UInt8 = 2) throws -> DataGroup3 {
      let image = FingerRecord.Image(position: 1, width: width, height: 300, data: Self.wsq(width: 260, height: 300))
      return try DataGroup3(DataGroup3(records: [FingerRecord(compression: compression, images: [image])]).encoded)
    }
    #expect(try read(260).findings.isEmpty)
    #expect(
      try read(261).findings.map(\.problem) == [
        .imageSize(stated: ImageSize(width: 261, height: 300), found: ImageSize(width: 260, height: 300))
      ])
    #expect(try read(260, compression: 5).findings.map(\.problem) == [.imageFormat(stated: "PNG", found: "WSQ")])
    #expect(try ImageHeader(Self.wsq(width: 260, height: 300)).format == .wsq)
  }
}
