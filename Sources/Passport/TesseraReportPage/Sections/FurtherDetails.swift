import TesseraVerification

/// The other texts of DG11 and DG12, and the numbers of biometric images.
struct FurtherDetails {
  let report: Report

  var html: HTML {
    var list = FieldList()
    addPersonal(&list)
    addDocument(&list)
    addBiometrics(&list)
    guard !list.isEmpty else { return .nothing }
    return .element(
      "section", [.class("further")],
      [.element("h2", [], "Further details"), list.html([.class("fields more")])])
  }

  private func addPersonal(_ list: inout FieldList) {
    guard let details = report.content.personalDetails else { return }
    let names = details.otherNames.prefix(6).map { HolderName($0).text }
    list.add("Other names", names.joined(separator: "; "))
    let birth = PageDate.zone(report.document.dateOfBirth, .birth, asOf: report.verifiedAt)
    if details.dateOfBirth != birth { list.add("Date of birth in DG11", details.dateOfBirth, limit: 20) }
    list.add("Address", details.permanentAddress.map(HolderAddress.text))
    list.add("Telephone", details.telephone, limit: 60)
    list.add("Profession", details.profession, limit: 80)
    list.add("Title", details.title, limit: 60)
    list.add("Summary", details.personalSummary)
    list.add("Other documents", details.otherTravelDocuments.map(HolderAddress.text), limit: 80)
    list.add("Custody", details.custodyInformation, limit: 100)
  }

  private func addDocument(_ list: inout FieldList) {
    guard let details = report.content.documentDetails else { return }
    let names = details.otherPersons.prefix(6).map { HolderName($0).text }
    list.add("Other persons", names.joined(separator: "; "))
    list.add("Endorsements", details.endorsements)
    list.add("Tax and exit", details.taxOrExitRequirements, limit: 100)
    list.add("Personalized", details.personalizationTime, limit: 20)
    list.add("By system", details.personalizationSystem, limit: 60)
  }

  private func addBiometrics(_ list: inout FieldList) {
    let content = report.content
    list.add("Fingers", content.fingers.map { "\($0)" })
    list.add("Irises", content.irises.map { "\($0)" })
    list.add("Persons to notify", content.personsToNotify.map { "\($0)" })
  }
}
