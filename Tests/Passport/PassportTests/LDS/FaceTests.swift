import TesseraPassport
import TesseraSmartCard
import TesseraVirtualChip
import TestSupport
import Testing

@Suite("DG2, the face")
struct FaceTests {
  /// ISO/IEC 39794-5 sample of ICAO, with every optional field.
  static let allFields = Fixtures.specimen("iso39794", file: "ICAO_39794_5_AP_DG2_AllFields.dat")
  /// ISO/IEC 19794-5 sample; its image is the text "gMRTD".
  static let record = Fixtures.specimen("iso19794", file: "ISO19794_Test1_Data.bin")
  static let bsi = Fixtures.specimen("bsi2008", file: "Datagroup2.bin")

  /// A record in a file, under a header without any element.
  static func file(record: [UInt8], tag: UInt32 = 0x5F2E) -> [UInt8] {
    let template = BERTLV.encode(0x7F60, BERTLV.encode(0xA1, []) + BERTLV.encode(tag, record))
    return BERTLV.encode(0x75, BERTLV.encode(0x7F61, BERTLV.encode(0x02, [1]) + template))
  }

  @Test("parses a facial record with all attributes, and reports its inconsistencies")
  func facialRecord() throws {
    let group = try DataGroup2(Self.file(record: Self.record))
    guard case .iso19794(let record)? = group.templates.first?.block, let entry = record.entries.first else {
      Issue.record("no ISO/IEC 19794-5 record")
      return
    }
    #expect(record.entries.count == 1)
    #expect(entry.imageType == 2 && entry.dataType == 1 && entry.colourSpace == 0)
    #expect(entry.image.width == 148 && entry.image.height == 70 && entry.image.data.count == 5099)
    #expect(entry.image.format == .jpeg && entry.image.size == ImageSize(width: 148, height: 70))
    // The sample states JPEG 2000 for its JPEG.
    #expect(
      group.findings == [
        FileFinding(
          .dg2, "biometric information template 1, data block, facial record, facial image 1, image data type",
          .imageFormat(stated: "JPEG 2000", found: "JPEG"))
      ])
    #expect(group.encoded == Self.file(record: Self.record))
  }

  @Test("parses every field of an ISO/IEC 39794-5 block")
  func faceImageBlock() throws {
    let group = try DataGroup2(Self.allFields)
    #expect(group.templates.count == 1 && group.faces.count == 1)
    let header = try #require(group.templates.first?.header)
    #expect(header.type == [0x02] && header.formatOwner == [0x01, 0x01] && header.formatType == [0x00, 0x2A])
    #expect(header.creationTime == [0x21, 0x24, 0x01, 0x05, 0x11, 0x23, 0x45])
    guard case .iso39794(let block)? = group.templates.first?.block, let face = block.representations.first else {
      Issue.record("no ISO/IEC 39794-5 block")
      return
    }
    #expect(block.version == FormatVersion(generation: 3, year: 2019))
    #expect(face.identifier == 0 && face.sessionIdentifier == 9 && face.derivedFrom == 0)
    #expect(face.captureTime?.year == 2024 && face.captureTime?.millisecond == 908)
    let one = RegistryIdentifier(organization: 1, identifier: 1)
    #expect(face.quality == [AssessmentBlock(algorithm: one, result: .score(99))])
    #expect(face.captureDevice?.model == one)
    #expect(face.captureDevice?.certifications == [RegistryIdentifier(organization: 2, identifier: 2)])

    let detection = try #require(face.attackDetection)
    #expect(detection.decision == ExtensibleCode(0, form: .fallback) && detection.riskLevel == 5)
    #expect(detection.scores?.count == 1 && detection.criteriaCategory?.number == 2)
    #expect(detection.extendedData?.first?.data == Array("ExtendedDataBlock data".utf8))
    #expect(detection.parameter == Array("PAD Parameter".utf8))
    #expect(detection.challenges == [Array("Challenge1".utf8)] && detection.captureTime?.minute == 16)

    let information = face.image.information
    #expect(information.dataFormat == ExtensibleCode(3) && information.imageKind?.number == 0)
    #expect(information.postAcquisitionProcessing?.flags.count == 12)
    #expect(information.lossyTransformations?.number == 1 && information.colourSpace?.number == 2)
    #expect(information.cameraToSubjectDistance == 3000)
    #expect(information.sensorDiagonal == 43 && information.lensFocalLength == 55)
    #expect(information.width == 572 && information.height == 731)
    #expect(information.measurements?.headWidth == 300 && information.measurements?.headLength == 500)
    #expect(information.measurements?.interEyeDistance == 150 && information.measurements?.eyeToMouthDistance == 180)
    #expect(information.referenceColours?.schema == Array("Reference Colour Schema Example".utf8))
    #expect(information.referenceColours?.colours?.first?.value == Array("Reference Colour Value Example".utf8))
    #expect(face.image.captureSpectrum?.flags == [0: false, 1: false, 2: false])
    #expect(face.image.captureTechnology?.number == 2)

    let identity = try #require(face.identity)
    #expect(identity.gender?.number == 3 && identity.eyeColour?.number == 3 && identity.hairColour?.number == 5)
    #expect(identity.subjectHeight == 1786 && identity.properties?.flags.count == 11)
    #expect(identity.expression?.flags[0] == true && identity.expression?.flags[1] == false)
    #expect(identity.poseAngles?.pitch == .init(3, uncertainty: 1))
    #expect(face.landmarks?.count == 1)
    let point = try #require(face.landmarks?.first?.point)
    #expect(point.x == 90 && point.y == 22)
    #expect(face.image.data.count == 15_000 && face.image.data.suffix(2) == [0xFF, 0xD9])
    #expect(face.face.format == .jpeg2000)
    // The sample states a wrong image size.
    #expect(
      group.findings.map(\.problem) == [
        .imageSize(stated: ImageSize(width: 572, height: 731), found: ImageSize(width: 413, height: 531))
      ])
  }

  @Test("encodes published files unchanged", arguments: [allFields, bsi, file(record: record)])
  func same(_ file: [UInt8]) throws {
    #expect(file.count > 5000)
    #expect(try DataGroup2(file).encoded == file)
  }

  @Test("round trip of the specimen's faces, two in one record and one in the other format")
  func built() throws {
    let groups = try SpecimenDocument.everyGroup()
    let group = try DataGroup2(try #require(groups[2]))
    #expect(group.findings.isEmpty)
    #expect(group.templates.map(\.block.standard) == ["ISO/IEC 19794-5", "ISO/IEC 39794-5"])
    #expect(group.faces.map(\.format) == [.jpeg, .jpeg2000, .jpeg2000])
    #expect(group.faces.map(\.size.width) == [413, 207, 207])
    #expect(try DataGroup2(group.encoded) == group)
    guard case .iso19794(let record)? = group.templates.first?.block else { return }
    #expect(record.entries.first?.featurePoints.count == 2 && record.entries.first?.eyeColour == 3)
  }

  @Test("reports a malformed image and parses everything else")
  func brokenImage() throws {
    // Like gmrtd's sample with an invalid image: the signature box is overwritten.
    var file = Self.allFields
    let start = try #require(file.indices.first { file[$0...].starts(with: [0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A]) })
    for index in start - 4..<start + 2 { file[index] = 0 }
    let group = try DataGroup2(file)
    #expect(group.faces.first?.data.count == 15_000 && group.faces.first?.format == .unknown)
    #expect(group.findings.count == 1)
    #expect(group.findings.first?.problem == .malformed("has an unknown format"))
    #expect(group.findings.first?.element.hasSuffix("face image data block, representation 1, image") == true)
    #expect(group.encoded == file)
  }

  @Test("a truncated or missing second image does not affect the first", arguments: [false, true])
  func brokenSecond(_ isCut: Bool) throws {
    let face = FacialImage(data: SpecimenDocument.portrait, width: 413, height: 531)
    let file = DataGroup2(faces: isCut ? [face, face] : [face]).encoded
    var record = try #require(file.indices.first { file[$0...].starts(with: Array("FAC\u{0}".utf8)) })
    var bytes = file
    if isCut {
      // The second block states 10,000 bytes too many.
      record += 14 + 32 + face.data.count
      let length = 32 + face.data.count + 10_000
      bytes.replaceSubrange(record..<record + 4, with: [24, 16, 8, 0].map { UInt8(length >> $0 & 0xFF) })
    } else {
      bytes.replaceSubrange(record + 12..<record + 14, with: [0, 2])
    }
    let group = try DataGroup2(bytes)
    #expect(group.faces == [face])
    #expect(group.findings.count == 1 && group.findings.first?.element.contains("facial image 2") == true)
  }

  @Test("parses a record whose header states the other format, and reports it")
  func wrongFormatType() throws {
    var group = DataGroup2(faces: [FacialImage(data: SpecimenDocument.portrait, width: 413, height: 531)])
    #expect(try DataGroup2(group.encoded).findings.isEmpty)
    group.templates[0].header = BiometricHeader(type: 0x02, format: DataGroup2.faceImageBlock)
    let read = try DataGroup2(group.encoded)
    #expect(read.faces == group.faces)
    #expect(read.findings.map(\.element) == ["biometric information template 1, format type"])
  }
}
