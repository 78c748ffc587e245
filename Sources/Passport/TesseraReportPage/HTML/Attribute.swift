/// An attribute of an element. No attribute can hold code or the address of another resource: there are only these.
struct Attribute: Sendable {
  let name: String
  /// Not escaped.
  let value: String

  private init(name: StaticString, value: String) {
    self.name = name.description
    self.value = value
  }

  /// Classes of the style sheet.
  static func `class`(_ names: StaticString) -> Attribute { Attribute(name: "class", value: names.description) }

  /// Any attribute whose value is a literal.
  static func fixed(_ name: StaticString, _ value: StaticString) -> Attribute {
    Attribute(name: name, value: value.description)
  }

  /// The language of the content, a BCP 47 tag; empty if it is not known.
  static func lang(_ tag: StaticString) -> Attribute { Attribute(name: "lang", value: tag.description) }

  /// The complete text of an element that shows only a part of it, cleaned and cut.
  static func title(_ text: String) -> Attribute { Attribute(name: "title", value: PageText.cleaned(text)) }

  /// What a picture shows, cleaned and cut.
  static func alt(_ text: String) -> Attribute { Attribute(name: "alt", value: PageText.cleaned(text)) }

  static func source(_ picture: DataURL) -> Attribute { Attribute(name: "src", value: picture.text) }

  static func width(_ pixels: Int) -> Attribute { Attribute(name: "width", value: "\(pixels)") }
  static func height(_ pixels: Int) -> Attribute { Attribute(name: "height", value: "\(pixels)") }

  /// Names and values, each name once: an element has one attribute with all of its classes.
  static func merged(_ attributes: [Attribute]) -> [(name: String, value: String)] {
    let classes = attributes.filter { $0.name == "class" }.map(\.value).joined(separator: " ")
    let others = attributes.filter { $0.name != "class" }.map { (name: $0.name, value: $0.value) }
    return classes.isEmpty ? others : [(name: "class", value: classes)] + others
  }
}
