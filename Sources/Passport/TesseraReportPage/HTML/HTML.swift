/// A part of a page: a tree of elements and texts. Tags and the names of attributes are literals of this program, and
/// every other text is escaped when it is written, so no text can become markup.
struct HTML: Sendable {
  private indirect enum Node: Sendable {
    case text(String)
    case element(String, [Attribute], [HTML])
    case style(StaticString)
    case group([HTML])
  }

  private let node: Node

  /// A text, cleaned and cut by `PageText`.
  static func text(_ text: String, limit: Int = PageText.standardLimit) -> HTML {
    HTML(node: .text(PageText.cleaned(text, limit: limit)))
  }

  static func element(_ tag: StaticString, _ attributes: [Attribute] = [], _ content: [HTML] = []) -> HTML {
    HTML(node: .element(tag.description, attributes, content))
  }

  static func element(_ tag: StaticString, _ attributes: [Attribute] = [], _ text: String) -> HTML {
    element(tag, attributes, [.text(text)])
  }

  /// A style sheet. Only a literal is accepted: the content of this element cannot be escaped.
  static func style(_ sheet: StaticString) -> HTML { HTML(node: .style(sheet)) }

  static func group(_ parts: [HTML]) -> HTML { HTML(node: .group(parts)) }

  static let nothing = HTML.group([])

  /// The markup of this part.
  var markup: String {
    var markup = ""
    write(to: &markup)
    return markup
  }

  private func write(to markup: inout String) {
    switch node {
    case .text(let text): markup += text.escapedMarkup()
    case .style(let sheet): markup += "<style>\(sheet)</style>"
    case .group(let parts): for part in parts { part.write(to: &markup) }
    case .element(let tag, let attributes, let content):
      markup += "<\(tag)"
      for (name, value) in Attribute.merged(attributes) { markup += " \(name)=\"\(value.escapedMarkup())\"" }
      markup += ">"
      guard !Self.emptyElements.contains(tag) else { return }
      for part in content { part.write(to: &markup) }
      markup += "</\(tag)>"
      if Self.blocks.contains(tag) { markup += "\n" }
    }
  }

  /// The elements without an end tag (HTML, 13.1.2) that the page uses.
  private static let emptyElements: Set<String> = ["br", "img", "meta"]
  /// A line break after these elements does not change the page, and separates its parts for a reader of its source.
  private static let blocks: Set<String> = [
    "head", "title", "header", "section", "footer", "div", "dl", "li", "ol", "ul", "tr", "table", "h1", "h2", "h3",
  ]
}

extension HTML: ExpressibleByStringLiteral {
  init(stringLiteral text: String) { self = .text(text) }
}
