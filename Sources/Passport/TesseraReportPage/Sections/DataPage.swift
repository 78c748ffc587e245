import TesseraCore
import TesseraPassport
import TesseraVerification

/// The portrait and the fields of the data page, the name also in the holder's script, and the machine readable zone.
struct DataPage {
  @Indirect var report: Report
  @Indirect var dump: DocumentDump

  var html: HTML {
    .element(
      "section", [.class("data-page")],
      [
        .element("h2", [.class("hidden")], "Data page"),
        pictures.portrait,
        .element("div", [.class("particulars")], [names, fields]),
        .element("div", [.class("data-foot")], [zone, pictures.others]),
      ])
  }

  private var document: Report.Document { report.document }
  private var pictures: DocumentPictures { DocumentPictures(dump: dump) }

  private var names: HTML {
    let native = report.content.personalDetails?.fullName.map(HolderName.init)
    return .element(
      "dl", [.class("names")],
      [
        name("Surname", document.primaryIdentifier, native?.primary ?? ""),
        name("Given names", document.secondaryIdentifier, native?.secondary ?? ""),
      ])
  }

  private func name(_ label: String, _ latin: String, _ native: String) -> HTML {
    let script = HTML.element(
      "dd", [.class("script"), .fixed("dir", "auto"), HolderLanguage.attribute(issuingState: document.issuingState)],
      [.chip(native, limit: 90)])
    let isRepeated = native.isEmpty || native.uppercased() == latin.uppercased()
    return .element(
      "div", [],
      [
        .element("dt", [], label), .element("dd", [], [.chip(latin.isEmpty ? "–" : latin, limit: 90)]),
        isRepeated ? .nothing : script,
      ])
  }

  private var fields: HTML {
    let details = report.content.personalDetails
    let issue = report.content.documentDetails
    var list = FieldList()
    list.add("Document number", document.documentNumber, [.class("strong")])
    list.add("Type", document.type)
    list.add("Issuing state", document.issuingState)
    list.add("Nationality", document.nationality)
    list.add("Date of birth", date(document.dateOfBirth, .birth))
    list.add("Sex", document.sex == "<" ? "unspecified" : document.sex)
    list.add("Date of expiry", document.hasNoEnd ? "no end" : date(document.dateOfExpiry, .expiry))
    list.add("Date of issue", issue?.dateOfIssue)
    list.add("Place of birth", details?.placeOfBirth.map(HolderAddress.text), limit: 100)
    list.add("Authority", issue?.issuingAuthority.map(HolderAddress.text), limit: 100)
    list.add("Personal number", details?.personalNumber, limit: 60)
    list.add("Optional data", document.optionalData)
    return list.html([.class("fields")])
  }

  private func date(_ text: String, _ meaning: MRZDate.Meaning) -> String {
    PageDate.zone(text, meaning, asOf: report.verifiedAt)
  }

  private var zone: HTML {
    let lines = document.mrz.split(separator: "\n").prefix(3).map {
      HTML.element("span", [], [.text(String($0), limit: 60)])
    }
    return .element(
      "p",
      [.class("mrz"), .fixed("dir", "ltr"), .fixed("role", "group"), .fixed("aria-label", "Machine readable zone")],
      lines)
  }
}
