import TesseraSeals
import TesseraVerification

/// What a seal says, and whether the document was seen to say the same.
struct SealData {
  let report: SealReport

  /// More than any document has. A message of thousands of members is in the report's JSON.
  private static let maximumFields = 60

  /// Digits. The largest elements are pictures of a kilobyte.
  private static let maximumDigits = 600

  var html: HTML {
    .element(
      "section", [.class("seal-data")],
      [
        .element(
          "h2", [],
          [
            "Content of the seal ",
            .element("span", [.class("tag"), comparison.colour], "\(comparison.symbol) \(word)"),
          ]),
        zones, fields.html([.class("fields")]), elements, rest,
      ])
  }

  private var comparison: Check.Status { report[.matchesDocument]?.status ?? .skipped }

  private var word: String {
    switch report.comparison {
    case .notCompared: "not compared with a document"
    case .equalsZone: "equals the printed zone" + (report.namesPassport == true ? ", names the given passport" : "")
    case .namesPassport: "names the given passport"
    case .differs:
      // A difference of the passport alone is never a proof.
      if report.outcomeReason != .document, report.namesPassport == false {
        report.outcomeReason == .otherPassport
          ? "differs from the passport that was given" : "may differ from the passport that was given"
      } else {
        report.outcome == .notEstablished ? "may differ from the document" : "differs from the document"
      }
    }
  }

  private var shown: ArraySlice<SealField> { report.fields.prefix(Self.maximumFields) }

  private var zones: HTML {
    .group(shown.filter { $0.name == "mrz" && !$0.value.isEmpty }.map { ZoneLines.html($0.value) })
  }

  private var fields: FieldList {
    var list = FieldList()
    for field in shown where field.name != "mrz" { list.add(field.labelled, field.value, limit: 240) }
    if shown.isEmpty { list.add("Content", [], ["The seal could not be read."]) }
    return list
  }

  /// The elements of which only the bytes are known.
  private var elements: HTML {
    var list = FieldList()
    for field in shown where field.value.isEmpty {
      guard let digits = field.hexadecimal else { continue }
      let isCut = digits.utf8.count > Self.maximumDigits
      list.add(
        field.labelled, [],
        [
          .element("code", [], [.text(digits, limit: Self.maximumDigits)]),
          isCut ? .text(" (\(digits.utf8.count / 2) bytes)") : .nothing,
        ])
    }
    return list.isEmpty ? .nothing : .group([.element("h3", [], "In bytes"), list.html([.class("rows bytes")])])
  }

  private var rest: HTML {
    let rest = report.fields.count - shown.count
    return rest > 0 ? .element("p", [.class("detail")], "\(rest) more fields are in the report's JSON.") : .nothing
  }
}

extension SealField {
  /// With the tag of an element whose name does not tell it.
  fileprivate var labelled: String {
    guard let tag, hexadecimal != nil, name != "unknown" else { return label }
    return "\(label) (\(tag))"
  }
}

/// The header of the seal, its barcode, its signer, and the status in the words of Doc 9303-13.
struct SealFacts {
  let report: SealReport

  var html: HTML {
    .element(
      "div", [.class("columns")],
      [
        .element("section", [.class("facts")], [.element("h2", [], "Header"), header.html([.class("rows")])]),
        .element(
          "section", [.class("facts")], [.element("h2", [], "Barcode and signer"), facts.html([.class("rows")])]),
      ])
  }

  private var header: FieldList {
    var list = FieldList()
    list.add("Kind", report.kind.name)
    for field in report.header.prefix(20) { list.add(field.label, field.value, limit: 160) }
    return list
  }

  private var facts: FieldList {
    var list = FieldList()
    list.add("Symbol", report.symbol.map(Self.symbol) ?? "from a file with its content")
    list.add("Doc 9303-13", ([report.status.text] + report.status.indications.map(\.rawValue)).joined(separator: ", "))
    if let signer = report.signer {
      list.add("Signer", signer.certificate.subject, limit: 120)
      list.add(
        "Purposes", signer.purposes.isEmpty ? "none stated" : signer.purposes.joined(separator: ", "), limit: 160)
      list.add("Documents", Self.types(signer.documentTypes), limit: 160)
    } else {
      list.add("Signer", "no certificate is known")
    }
    return list
  }

  private static func symbol(_ symbol: SealReport.Symbol) -> String {
    let corners = symbol.corners.filter { $0.count == 2 }.prefix(4).map { "(\($0[0]), \($0[1]))" }
    return corners.isEmpty ? symbol.format : "\(symbol.format), corners \(corners.joined(separator: " "))"
  }

  private static func types(_ types: [String]?) -> String {
    guard let types else { return "of every type" }
    return types.isEmpty ? "of no type that can be read" : "of the types \(types.joined(separator: ", "))"
  }
}
