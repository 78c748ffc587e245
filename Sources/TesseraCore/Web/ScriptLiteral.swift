/// A JavaScript string literal in single quotes.
package enum ScriptLiteral {
  package static func quote(_ text: some StringProtocol) -> String {
    var literal = "'"
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": literal += "\\\\"
      case "'": literal += "\\'"
      case "\n": literal += "\\n"
      case "\r": literal += "\\r"
      case "\u{2028}": literal += "\\u2028"
      case "\u{2029}": literal += "\\u2029"
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return literal + "'"
  }
}
