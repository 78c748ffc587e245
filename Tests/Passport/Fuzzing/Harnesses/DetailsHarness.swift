import TesseraSmartCard
import TesseraVirtualChip

@testable import TesseraPassport

/// DG5, DG7, DG11, DG12, DG13 and DG16; the first byte selects the group.
enum DetailsHarness: Harness {
  static let name = "details"

  private static let groups = [5, 7, 11, 12, 13, 16]

  static func seeds() throws -> [String: [UInt8]] {
    var contents = try SpecimenDocument.everyGroup()
    let image = Array(SpecimenDocument.signature.prefix(300))
    contents[5] = DisplayedImages(.portrait, images: [image]).encoded
    contents[7] = DisplayedImages(.signatureOrMark, images: [image, image]).encoded
    if var personal = try contents[11].map({ try DataGroup11($0) }) {
      personal.proofOfCitizenship = image
      contents[11] = personal.encoded
    }
    if var document = try contents[12].map({ try DataGroup12($0) }) {
      document.frontImage = image
      document.rearImage = nil
      contents[12] = document.encoded
    }
    return Dictionary(
      uniqueKeysWithValues: groups.enumerated().map { index, number in
        ("dg\(number)", [UInt8(index)] + (contents[number] ?? []))
      })
  }

  static func test(_ input: [UInt8]) throws {
    var parts = Parts(input)
    let number = parts.choice(groups)
    let bytes = parts.all()
    switch number {
    case 5: _ = try DisplayedImages(.portrait, bytes).findings.map(\.failure.cause)
    case 7: _ = try DisplayedImages(.signatureOrMark, bytes).findings.map(\.failure.cause)
    case 11:
      let group = try DataGroup11(bytes)
      _ = group.findings.map(\.failure.cause)
      let again = try? DataGroup11(group.encoded)
      property(again?.fullName == group.fullName && again?.otherNames == group.otherNames, "names of DG11")
      property(again?.dateOfBirth == group.dateOfBirth, "date of DG11")
      property(again?.custodyInformation == group.custodyInformation, "last field of DG11")
      property(again?.proofOfCitizenship == group.proofOfCitizenship, "image of DG11")
    case 12:
      let group = try DataGroup12(bytes)
      _ = group.findings.map(\.failure.cause)
      let again = try? DataGroup12(group.encoded)
      property(again?.personalizationTime == group.personalizationTime, "time of DG12")
      property(again?.otherPersons == group.otherPersons, "persons of DG12")
      property(again?.frontImage == group.frontImage, "image of DG12")
    case 16:
      let group = try DataGroup16(bytes)
      _ = group.findings.map(\.failure.cause)
      property((try? DataGroup16(group.encoded))?.persons == Array(group.persons.prefix(15)), "persons of DG16")
    default:
      guard let file = ElementaryFile.dataGroup(number) else { return }
      _ = try UnstructuredGroup(file, bytes)
    }
  }
}
