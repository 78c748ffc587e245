internal import Tessera

/// The content of the data groups other than DG1, as rows of a label and a text.
struct ContentRows {
  let content: ReportContent

  var rows: [(String, String)] {
    let rows: [(String, String?)] = images + personal + document
    return rows.compactMap { name, text in text.flatMap { $0.isEmpty ? nil : (name, $0) } }
  }

  private var images: [(String, String?)] {
    let others = content.faces.dropFirst()
    return [
      ("Portrait", content.faces.first.map { Self.text($0.image) }),
      ("More portraits", others.map { Self.text($0.image) }.joined(separator: "; ")),
      ("As printed", content.displayedPortraits.map(Self.text).joined(separator: "; ")),
      ("Signature", content.signaturesOrMarks.map(Self.text).joined(separator: "; ")),
      ("Fingers", content.fingers.map { "\($0)" }),
      ("Irises", content.irises.map { "\($0)" }),
    ]
  }

  private var personal: [(String, String?)] {
    guard let details = content.personalDetails else { return [] }
    return [
      ("Full name", details.fullName.map(Self.name)),
      ("Other names", details.otherNames.map(Self.name).joined(separator: "; ")),
      ("Personal no.", details.personalNumber),
      ("Born on", details.dateOfBirth),
      ("Place of birth", details.placeOfBirth.map(Self.list)),
      ("Address", details.permanentAddress.map(Self.list)),
      ("Telephone", details.telephone),
      ("Profession", details.profession),
      ("Title", details.title),
      ("Summary", details.personalSummary),
      ("Citizenship", details.proofOfCitizenship.map(Self.text)),
      ("Other docs", details.otherTravelDocuments.map(Self.list)),
      ("Custody", details.custodyInformation),
    ]
  }

  private var document: [(String, String?)] {
    let details = content.documentDetails
    return [
      ("Issued by", details?.issuingAuthority.map(Self.list)),
      ("Issued on", details?.dateOfIssue),
      ("Other persons", details?.otherPersons.map(Self.name).joined(separator: "; ")),
      ("Endorsements", details?.endorsements),
      ("Tax and exit", details?.taxOrExitRequirements),
      ("Front", details?.frontImage.map(Self.text)),
      ("Rear", details?.rearImage.map(Self.text)),
      ("Personalized", details?.personalizationTime),
      ("By system", details?.personalizationSystem),
      ("To notify", content.personsToNotify.map { $0 == 1 ? "1 person" : "\($0) persons" }),
    ]
  }

  /// The inconsistencies in the data groups, one per line.
  var findings: [String] {
    content.findings.map { "Malformed: \($0.file), \($0.element): \($0.problem)." }
  }

  private static func text(_ image: ReportContent.Image) -> String {
    let size = image.width > 0 ? ", \(image.width) x \(image.height)" : ""
    return "\(image.format)\(size), \(image.bytes) bytes"
  }

  /// A name: primary identifier, `<<`, secondary identifier.
  private static func name(_ text: String) -> String { parts(text.replacing("<<", with: ", "), " ") }

  /// A place or an address: its parts are separated by `<`.
  private static func list(_ text: String) -> String { parts(text, ", ") }

  private static func parts(_ text: String, _ separator: String) -> String {
    text.split(separator: "<").joined(separator: separator)
  }
}
