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

/// Makes a text from an untrusted source (a chip, a certificate, a file name) safe to show: bounded, on one line, and
/// without characters that change the place or the direction of the text around it.
enum PageText {
  /// In Unicode scalars. More than any sentence of this program, and less than two lines of the page per field.
  static let standardLimit = 400

  /// Marks on one letter. Scripts of names need up to three; a stack of hundreds covers the lines above and below.
  private static let maximumMarks = 4

  /// - Parameter limit: the maximum length in Unicode scalars; a longer text ends with an ellipsis.
  static func cleaned(_ text: String, limit: Int = standardLimit) -> String {
    var result = String.UnicodeScalarView()
    var length = 0
    var marks = 0
    for scalar in text.unicodeScalars {
      guard let shown = replacement(of: scalar) else { continue }
      marks = shown.properties.isMark ? marks + 1 : 0
      guard marks <= maximumMarks else { continue }
      guard length < limit else {
        if !result.isEmpty { result.removeLast() }
        result.append("…")
        break
      }
      result.append(shown)
      length += 1
    }
    return String(result)
  }

  /// A space for a separator, nil for a character that is not shown.
  private static func replacement(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    // Joiners shape the letters of Arabic, Persian and Indic scripts.
    case "\u{200C}", "\u{200D}": return scalar
    case "\t", "\n", "\r": return " "
    default: break
    }
    switch scalar.properties.generalCategory {
    case .lineSeparator, .paragraphSeparator: return " "
    // Format characters include the marks, embeddings, overrides and isolates of the writing direction.
    case .control, .format: return nil
    case .surrogate, .privateUse, .unassigned: return "\u{FFFD}"
    default: return scalar
    }
  }
}

extension Unicode.Scalar.Properties {
  fileprivate var isMark: Bool {
    switch generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark: true
    default: false
    }
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A picture inside the page (RFC 2397).
struct DataURL: Sendable {
  enum Kind: String {
    case jpeg = "image/jpeg"
    case png = "image/png"
  }

  let text: String

  init(_ kind: Kind, _ bytes: [UInt8]) { text = "data:\(kind.rawValue);base64," + Data(bytes).base64EncodedString() }
}
