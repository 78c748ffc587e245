import TesseraPassport

/// The built-in document with every optional data group, for tests of a reader.
extension SpecimenDocument {
  /// The built-in document with faces in both formats, fingerprints, irises and all details: every data group except
  /// DG6, which Doc 9303-10 reserves, and DG14 and DG15, which contain keys.
  public static func withEveryGroup() throws -> SpecimenDocument { try SpecimenDocument(groups: everyGroup()) }

  /// The data groups of that document, by number.
  package static func everyGroup() throws -> [Int: [UInt8]] {
    let zone = try MachineReadableZone(content, format: .td3)
    return [
      1: DataGroup1(zone: zone).encoded,
      2: faces.encoded,
      3: fingers.encoded,
      4: irises.encoded,
      5: DisplayedImages(.portrait, images: [smallPortrait]).encoded,
      7: DisplayedImages(.signatureOrMark, images: [signature]).encoded,
      11: personalDetails.encoded,
      12: documentDetails.encoded,
      16: personsToNotify.encoded,
    ].merging(unstructured) { first, _ in first }
  }

  /// The drawn portrait as a JPEG 2000 of 207 by 266 pixels.
  package static var smallPortrait: [UInt8] { PackageResources.portrait_jp2 }
  /// The drawn signature, a greyscale JPEG of 240 by 80 pixels.
  package static var signature: [UInt8] { PackageResources.signature_jpg }

  private static var faces: DataGroup2 {
    var large = FacialRecord.Entry(image: FacialImage(data: portrait, width: 413, height: 531))
    large.gender = 2
    large.eyeColour = 3
    large.featurePoints = [.init(code: 0xC1, x: 150, y: 260), .init(code: 0xC2, x: 262, y: 260)]
    let small = FacialRecord.Entry(image: FacialImage(data: smallPortrait, width: 207, height: 266))

    var information = FaceImageInformation(dataFormat: ExtensibleCode(3))
    information.width = 207
    information.height = 266
    var representation = FaceRepresentation(image: FaceImage2D(data: smallPortrait, information: information))
    representation.captureTime = CaptureTime(year: 2025, month: 6, day: 30)
    representation.quality = [
      AssessmentBlock(algorithm: RegistryIdentifier(organization: 1, identifier: 1), result: .score(80))
    ]
    return DataGroup2(templates: [
      BiometricTemplate(
        header: BiometricHeader(type: 0x02, format: DataGroup2.facialRecord),
        block: .iso19794(FacialRecord(entries: [large, small]))),
      BiometricTemplate(
        header: BiometricHeader(type: 0x02, format: DataGroup2.faceImageBlock),
        block: .iso39794(FaceImageBlock(representations: [representation]))),
    ])
  }

  /// An artificial pattern of 16 by 16 pixels.
  private static var pattern: [UInt8] {
    (0..<256).map { (place: Int) -> UInt8 in
      let (row, column) = (place / 16, place % 16)
      return UInt8((row * 16) ^ (column * 8))
    }
  }

  private static var fingers: DataGroup3 {
    DataGroup3(
      records: [2, 7].map { position in
        FingerRecord(
          compression: 0, images: [FingerRecord.Image(position: position, width: 16, height: 16, data: pattern)])
      })
  }

  private static var irises: DataGroup4 {
    var record = IrisRecord(
      imageFormat: 2,
      eyes: [1, 2].map { IrisRecord.Eye(position: $0, images: [IrisRecord.Image(number: 1, data: pattern)]) })
    record.width = 16
    record.height = 16
    return DataGroup4(records: [record])
  }

  static var personalDetails: DataGroup11 {
    var details = DataGroup11()
    details.fullName = "ΣΠΕΣΙΜΕΝ<<ΤΕΣΣΑ<ΜΑΡΙΑ"
    details.otherNames = ["МОЗАИКА<<ТЕССА", "SPECIMEN<<TESS"]
    details.personalNumber = "UT-900214-0042"
    details.dateOfBirth = FullDate("19900214", form: .characters)
    details.placeOfBirth = "AMAUROTUM<UTOPIA"
    details.permanentAddress = "1 ANYDER QUAY<AMAUROTUM<UTOPIA"
    details.telephone = "+999 0 0000"
    details.profession = "CARTOGRAPHER"
    details.title = "DR"
    details.personalSummary = "A person who does not exist"
    details.proofOfCitizenship = signature
    details.otherTravelDocuments = "TS0000001<TS0000002"
    details.custodyInformation = "NONE"
    return details
  }

  static var documentDetails: DataGroup12 {
    var details = DataGroup12()
    details.issuingAuthority = "UTOPIA<PASSPORT OFFICE"
    details.dateOfIssue = FullDate("20250701")
    details.otherPersons = ["SPECIMEN<<TIMO"]
    details.endorsements = "NOT VALID ANYWHERE"
    details.taxOrExitRequirements = "NONE"
    details.frontImage = signature
    details.rearImage = smallPortrait
    details.personalizationTime = FullDate("20250701123059")
    details.personalizationSystem = "TESSERA-1"
    return details
  }

  private static var personsToNotify: DataGroup16 {
    DataGroup16(persons: [
      .init(
        dateRecorded: FullDate("20250701"), name: "SPECIMEN<<TIMO", telephone: "+999 0 0001",
        address: "1 ANYDER QUAY<AMAUROTUM<UTOPIA"),
      .init(dateRecorded: FullDate("20250702", form: .characters), name: "MORE<<THOMAS"),
    ])
  }

  /// DG8 to DG10 and DG13 with arbitrary content.
  private static var unstructured: [Int: [UInt8]] {
    let groups = [8, 9, 10, 13].compactMap { number in
      UnstructuredGroup(number: number, content: [0x02, 0x01, 0x01] + Array("Tessera specimen".utf8))
    }
    return Dictionary(groups.map { ($0.number, $0.encoded) }) { first, _ in first }
  }
}
