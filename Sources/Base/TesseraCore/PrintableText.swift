/// Makes text from an untrusted source (a chip, a token, a web page) safe to display.
package enum PrintableText {
  /// The text with a space in place of each control character, line separator and format character: a terminal
  /// interprets the first, and the last can change the writing direction of the text that follows.
  package static func of(_ text: String) -> String {
    String(
      text.unicodeScalars.map { scalar in
        [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
          ? " " : Character(scalar)
      })
  }
}
