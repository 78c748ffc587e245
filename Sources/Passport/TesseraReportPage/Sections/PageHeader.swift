import TesseraVerification

/// What the page is, and of which document.
struct PageHeader {
  let title: String
  /// Texts of the document; empty ones are left out.
  let parts: [String]

  var html: HTML {
    let shown = parts.filter { !$0.isEmpty }.enumerated().map { index, part in
      HTML.group([index == 0 ? .nothing : " · ", .chip(part)])
    }
    return .element("header", [.class("top")], [.element("h1", [], title), .element("p", [], shown)])
  }
}

extension PageHeader {
  init(report: Report) {
    let document = report.document
    self.init(
      title: "Report on a travel document", parts: [document.format, document.issuingState, document.documentNumber])
  }
}

extension HTML {
  /// A text from the document, whose writing direction does not affect the text around it.
  static func chip(_ text: String, limit: Int = PageText.standardLimit) -> HTML {
    .element("bdi", [], [.text(text, limit: limit)])
  }
}
