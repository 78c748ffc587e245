import TesseraPassport
import TesseraSmartCard

/// The content of the data groups other than DG1: texts as on the chip, images by format and size. It contains no image
/// bytes, and only the number of persons to notify.
public struct ReportContent: Sendable, Codable {
  public struct Image: Sendable, Codable, Equatable {
    public let format: String
    /// In pixels, from the header of the image; 0 if the header is not readable.
    public let width: Int
    public let height: Int
    public let bytes: Int

    init(_ data: [UInt8]) {
      format = ImageFormat(data).rawValue
      let size = (try? ImageHeader(data))?.size
      width = size?.width ?? 0
      height = size?.height ?? 0
      bytes = data.count
    }
  }

  public struct Face: Sendable, Codable, Equatable {
    /// `ISO/IEC 19794-5` or `ISO/IEC 39794-5`.
    public let standard: String
    public let image: Image
  }

  /// DG11.
  public struct PersonalDetails: Sendable, Codable, Equatable {
    public let fullName: String?
    public let otherNames: [String]
    public let personalNumber: String?
    /// `YYYY-MM-DD`; unchanged from the chip if it is not a date or a part is unknown.
    public let dateOfBirth: String?
    public let placeOfBirth: String?
    public let permanentAddress: String?
    public let telephone: String?
    public let profession: String?
    public let title: String?
    public let personalSummary: String?
    public let proofOfCitizenship: Image?
    public let otherTravelDocuments: String?
    public let custodyInformation: String?

    init(_ group: DataGroup11) {
      fullName = group.fullName
      otherNames = group.otherNames
      personalNumber = group.personalNumber
      dateOfBirth = group.dateOfBirth?.description
      placeOfBirth = group.placeOfBirth
      permanentAddress = group.permanentAddress
      telephone = group.telephone
      profession = group.profession
      title = group.title
      personalSummary = group.personalSummary
      proofOfCitizenship = group.proofOfCitizenship.map(Image.init)
      otherTravelDocuments = group.otherTravelDocuments
      custodyInformation = group.custodyInformation
    }
  }

  /// DG12.
  public struct DocumentDetails: Sendable, Codable, Equatable {
    public let issuingAuthority: String?
    /// `YYYY-MM-DD`; unchanged from the chip if it is not a date or a part is unknown.
    public let dateOfIssue: String?
    public let otherPersons: [String]
    public let endorsements: String?
    public let taxOrExitRequirements: String?
    public let frontImage: Image?
    public let rearImage: Image?
    /// `YYYY-MM-DD hh:mm:ss`; unchanged from the chip if it is not a time or a part is unknown.
    public let personalizationTime: String?
    public let personalizationSystem: String?

    init(_ group: DataGroup12) {
      issuingAuthority = group.issuingAuthority
      dateOfIssue = group.dateOfIssue?.description
      otherPersons = group.otherPersons
      endorsements = group.endorsements
      taxOrExitRequirements = group.taxOrExitRequirements
      frontImage = group.frontImage.map(Image.init)
      rearImage = group.rearImage.map(Image.init)
      personalizationTime = group.personalizationTime?.description
      personalizationSystem = group.personalizationSystem
    }
  }

  public struct Finding: Sendable, Codable, Equatable {
    public let file: String
    public let element: String
    public let problem: String

    public init(file: String, element: String, problem: String) {
      self.file = file
      self.element = element
      self.problem = problem
    }
  }

  /// DG2.
  public let faces: [Face]
  /// The numbers of images in DG3 and DG4; nil if the group was not read.
  public let fingers: Int?
  public let irises: Int?
  /// DG5 and DG7.
  public let displayedPortraits: [Image]
  public let signaturesOrMarks: [Image]
  public let personalDetails: PersonalDetails?
  public let documentDetails: DocumentDetails?
  /// The number of persons in DG16; nil if it was not read.
  public let personsToNotify: Int?
  /// Inconsistencies within the data groups. They do not affect the checks of authenticity.
  public let findings: [Finding]

  /// A malformed file may have thousands of inconsistencies.
  private static let maximumFindings = 100

  init(_ structure: LogicalDataStructure) {
    func read<Group>(_ group: Result<Group, FileFinding>?) -> Group? { try? group?.get() }
    faces =
      read(structure.dataGroup2)?.templates.flatMap { template in
        template.block.faces.map { Face(standard: template.block.standard, image: Image($0.data)) }
      } ?? []
    fingers = read(structure.dataGroup3)?.count
    irises = read(structure.dataGroup4)?.count
    displayedPortraits = read(structure.dataGroup5)?.images.map(Image.init) ?? []
    signaturesOrMarks = read(structure.dataGroup7)?.images.map(Image.init) ?? []
    personalDetails = read(structure.dataGroup11).map(PersonalDetails.init)
    documentDetails = read(structure.dataGroup12).map(DocumentDetails.init)
    personsToNotify = read(structure.dataGroup16)?.persons.count
    findings = structure.findings.prefix(Self.maximumFindings).map {
      Finding(file: $0.file.name, element: $0.element, problem: "\($0.problem)")
    }
  }
}
