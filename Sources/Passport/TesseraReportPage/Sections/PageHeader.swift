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

/// The times of the read and of the verification, and the program.
struct PageFooter {
  let times: [(label: String, time: String)]
  let software: String

  var html: HTML {
    var list = FieldList()
    for (label, time) in times { list.add(label, time) }
    list.add("Software", software, limit: 60)
    return .element(
      "footer", [],
      [
        list.html([]),
        .element("p", [], "This page contains personal data. It is complete in itself and loads nothing."),
      ])
  }
}
