/// Text from outside (a chip, a token, a page) as it may be shown to a person.
public enum PrintableText {
  /// The text with a space for everything that a terminal or a dialogue would take for more than a letter: control
  /// characters, line ends, and format characters, which can turn the direction of what follows.
  public static func of(_ text: String) -> String {
    String(
      text.unicodeScalars.map { scalar in
        [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
          ? " " : Character(scalar)
      })
  }
}
