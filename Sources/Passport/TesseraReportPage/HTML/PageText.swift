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
