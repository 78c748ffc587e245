import TesseraCore
import TesseraPassport
import TesseraPictures
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

  private var zone: HTML { ZoneLines.html(document.mrz) }
}

/// A machine readable zone in letters of one width.
enum ZoneLines {
  /// - Parameter zone: the lines, with line feeds between them.
  static func html(_ zone: String) -> HTML {
    let lines = zone.split(separator: "\n").prefix(3).map {
      HTML.element("span", [], [.text(String($0), limit: 60)])
    }
    return .element(
      "p",
      [.class("mrz"), .fixed("dir", "ltr"), .fixed("role", "group"), .fixed("aria-label", "Machine readable zone")],
      lines)
  }
}

/// The portrait of DG2, and the pictures of DG5 and DG7.
struct DocumentPictures {
  let dump: DocumentDump

  var portrait: HTML {
    guard let face = dump.portrait else {
      guard dump.dataGroups[2] != nil else { return Self.placeholder("The portrait was not read.") }
      guard case .failure(let finding)? = dump.content.dataGroup2 else { return Self.placeholder("DG2 is malformed.") }
      return Self.placeholder(finding.failure.cause)
    }
    switch EmbeddedPicture(face.data) {
    case .shown(let address, let size, let isDamaged):
      let note = isDamaged ? "Portrait; its data are damaged" : ""
      return Self.figure("portrait", address, size, alternative: "Portrait of the holder", caption: note)
    case .unusable(let reason): return Self.placeholder(reason)
    }
  }

  /// DG5 and DG7, small.
  var others: HTML {
    let figures = [
      small("Portrait as printed", dump.content.dataGroup5), small("Signature or mark", dump.content.dataGroup7),
    ].compactMap { $0 }
    return figures.isEmpty ? .nothing : .element("div", [.class("others")], figures)
  }

  /// The first image of the group. nil if it cannot be shown: the portrait of DG2 is the one that counts.
  private func small(_ caption: String, _ group: Result<DisplayedImages, FileFinding>?) -> HTML? {
    guard let data = (try? group?.get())?.images.first, case .shown(let address, let size, _) = EmbeddedPicture(data)
    else { return nil }
    return Self.figure("small", address, size, alternative: caption, caption: caption)
  }

  private static func figure(
    _ name: StaticString, _ address: DataURL, _ size: ImageSize, alternative: String, caption: String
  ) -> HTML {
    .element(
      "figure", [.class(name)],
      [
        .element("img", [.source(address), .alt(alternative), .width(size.width), .height(size.height)]),
        caption.isEmpty ? .nothing : .element("figcaption", [], caption),
      ])
  }

  private static func placeholder(_ reason: String) -> HTML {
    .element(
      "figure", [.class("portrait missing")], [Drawing.person, .element("figcaption", [], "No portrait. \(reason)")])
  }
}
