import TesseraVerification

/// What the page is, and of which document.
struct PageHeader {
  let report: Report

  var html: HTML {
    .element(
      "header", [.class("top")],
      [
        .element("h1", [], "Report on a travel document"),
        .element(
          "p", [],
          [
            .text("\(report.document.format) · "), .chip(report.document.issuingState), " · ",
            .chip(report.document.documentNumber),
          ]),
      ])
  }
}

extension HTML {
  /// A text from the document, whose writing direction does not affect the text around it.
  static func chip(_ text: String, limit: Int = PageText.standardLimit) -> HTML {
    .element("bdi", [], [.text(text, limit: limit)])
  }
}
