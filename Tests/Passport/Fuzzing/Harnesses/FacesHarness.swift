import TesseraVirtualChip

@testable import TesseraPassport

/// DG2 in both formats.
enum FacesHarness: Harness {
  static let name = "faces"

  static func seeds() throws -> [String: [UInt8]] {
    let image = Array(SpecimenDocument.signature.prefix(700))
    var entry = FacialRecord.Entry(image: FacialImage(data: image, width: 240, height: 80))
    entry.featurePoints = [.init(code: 0xC1, x: 150, y: 260)]
    var information = FaceImageInformation(dataFormat: ExtensibleCode(2))
    information.width = 240
    information.height = 80
    var representation = FaceRepresentation(image: FaceImage2D(data: image, information: information))
    representation.captureTime = CaptureTime(year: 2025, month: 6, day: 30)
    representation.quality = [
      AssessmentBlock(algorithm: RegistryIdentifier(organization: 1, identifier: 1), result: .score(80))
    ]
    let old = BiometricTemplate(
      header: BiometricHeader(type: 0x02, format: DataGroup2.facialRecord),
      block: DataGroup2.FaceBlock.iso19794(FacialRecord(entries: [entry])))
    let new = BiometricTemplate(
      header: BiometricHeader(type: 0x02, format: DataGroup2.faceImageBlock),
      block: DataGroup2.FaceBlock.iso39794(FaceImageBlock(representations: [representation])))
    return [
      "iso19794": DataGroup2(templates: [old]).encoded, "iso39794": DataGroup2(templates: [new]).encoded,
      "both": DataGroup2(templates: [old, new]).encoded,
    ]
  }

  static func test(_ input: [UInt8]) throws {
    let group = try DataGroup2(input)
    property(!group.faces.isEmpty, "a group that was read has a face")
    _ = group.findings.map(\.failure.cause)
    do {
      property(try DataGroup2(group.encoded).templates == group.templates, "what was read is written as it was")
    } catch {
      property(false, "what was written is read: \(error)")
    }
  }
}
