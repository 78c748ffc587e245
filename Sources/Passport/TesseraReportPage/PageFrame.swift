/// What is around every report: one HTML document with the style sheet, which has no script and loads nothing.
struct PageFrame {
  let title: String
  /// Each is an element `main`.
  let sheets: [HTML]

  /// To be stored as UTF-8.
  var text: String { "<!DOCTYPE html>\n" + document.markup + "\n" }

  private var document: HTML { .element("html", [.lang("en")], [head, .element("body", [], sheets)]) }

  private var head: HTML {
    .element(
      "head", [],
      [
        .element("meta", [.fixed("charset", "utf-8")]),
        .element(
          "meta",
          [
            .fixed("http-equiv", "Content-Security-Policy"),
            .fixed("content", "default-src 'none'; style-src 'unsafe-inline'; img-src data:"),
          ]),
        .element(
          "meta", [.fixed("name", "viewport"), .fixed("content", "width=device-width, initial-scale=1")]),
        .element("meta", [.fixed("name", "color-scheme"), .fixed("content", "light dark")]),
        .element("title", [], title),
        .style(Stylesheet.text),
      ])
  }
}
