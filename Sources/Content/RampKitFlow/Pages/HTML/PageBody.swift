/// What a page takes from the HTML of a screen, which is a part of a body or a whole document.
struct PageBody {
  /// The `<style>`, `<link>` and `<script>` elements of the document's head. The SDK's published examples have scripts
  /// there.
  private(set) var head: [UInt8] = []
  /// The attributes of the document's `<body>`, with a space before each.
  private(set) var attributes: [UInt8] = []
  /// The content of the body. Comments, tags and texts that have no end cannot reach what follows it.
  private(set) var content: [UInt8] = []
  /// Whether the HTML is a whole document.
  private(set) var isDocument = false

  private var isInBody = false
  /// The element of the head whose end is awaited, and whether it is kept.
  private var headElement: (name: String, isKept: Bool)?

  init(_ html: String) {
    var scanner = HTMLScanner(Array(html.utf8))
    while let token = scanner.next() {
      if isInBody { addToBody(token, scanner.bytes) } else { addToHead(token, scanner.bytes) }
    }
    if let element = scanner.openElement {
      let end = Array("</\(element)>".utf8)
      if isInBody { content += end } else if headElement?.isKept == true { head += end }
    }
  }

  private mutating func addToBody(_ token: HTMLScanner.Token, _ bytes: [UInt8]) {
    switch token {
    case .unfinished, .doctype: break
    case .startTag(let tag) where ["html", "head", "body"].contains(tag.name): break
    case .endTag(let name, _) where ["html", "head", "body"].contains(name): break
    default: content += bytes[token.range]
    }
  }

  /// Before the body: as a browser, which lets the body begin with the first thing that no head can have.
  private mutating func addToHead(_ token: HTMLScanner.Token, _ bytes: [UInt8]) {
    if let element = headElement {
      if element.isKept { head += bytes[token.range] }
      if case .endTag(element.name, _) = token { headElement = nil }
      return
    }
    switch token {
    case .unfinished: break
    case .doctype: isDocument = true
    case .comment(let range): if !isDocument { content += bytes[range] }
    case .text(let range):
      if bytes[range].allSatisfy(HTMLScanner.isSpace) { return }
      beginBody(token, bytes)
    case .endTag(let name, _):
      if !["html", "head", "body"].contains(name) { beginBody(token, bytes) }
    case .startTag(let tag): addToHead(tag, token, bytes)
    }
  }

  private mutating func addToHead(_ tag: HTMLTag, _ token: HTMLScanner.Token, _ bytes: [UInt8]) {
    switch tag.name {
    case "html", "head": isDocument = true
    case "body":
      isDocument = true
      isInBody = true
      for attribute in tag.attributes { attributes += [UInt8(ascii: " ")] + bytes[attribute.range] }
    case "style" where isDocument, "script" where isDocument:
      head += bytes[tag.range]
      headElement = (tag.name, true)
    case "link" where isDocument: head += bytes[tag.range]
    case "meta" where isDocument, "base" where isDocument: break
    case "title" where isDocument, "noscript" where isDocument: headElement = (tag.name, false)
    default: beginBody(token, bytes)
    }
  }

  private mutating func beginBody(_ token: HTMLScanner.Token, _ bytes: [UInt8]) {
    isInBody = true
    addToBody(token, bytes)
  }
}
