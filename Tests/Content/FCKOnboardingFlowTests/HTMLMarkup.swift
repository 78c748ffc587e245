import Testing

/// The tags and the texts of HTML that this package wrote. It knows no more of the language than that.
struct HTMLMarkup {
  struct Tag {
    let name: String
    fileprivate let text: String

    /// The attributes, decoded. One without a value has an empty one.
    var attributes: [String: String] {
      var attributes: [String: String] = [:]
      for attribute in text.matches(of: /([a-z-]+)(="([^"]*)")?/) {
        attributes[String(attribute.1)] = decoded(String(attribute.3 ?? ""))
      }
      return attributes
    }
  }

  private(set) var tags: [Tag] = []
  /// The texts between tags, without those that are empty.
  private(set) var texts: [String] = []

  init(_ html: String) {
    var rest = Substring(html)
    while let start = rest.firstIndex(of: "<") {
      add(String(rest[..<start]))
      rest = rest[rest.index(after: start)...]
      // No attribute contains a “>”, since it is escaped.
      guard let end = rest.firstIndex(of: ">") else {
        Issue.record("a tag without an end")
        return
      }
      tag(rest[..<end])
      rest = rest[rest.index(after: end)...]
    }
    add(String(rest))
  }

  /// The first tag with this attribute.
  func tag(_ attribute: String, _ value: String) -> Tag? { tags.first { $0.attributes[attribute] == value } }

  private mutating func add(_ text: String) {
    let text = decoded(text)
    if text.contains(where: { $0 != "\n" }) { texts.append(text) }
  }

  private mutating func tag(_ text: Substring) {
    guard let first = text.first, first.isLetter || first == "!" else { return }
    let name = text.prefix { $0 != " " }
    tags.append(Tag(name: String(name), text: String(text.dropFirst(name.count))))
  }
}

private func decoded(_ text: String) -> String {
  var text = text
  for (reference, character) in [
    ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#13;", "\r"), ("&amp;", "&"),
  ] {
    text = text.split(separator: reference, omittingEmptySubsequences: false).joined(separator: character)
  }
  return text
}
