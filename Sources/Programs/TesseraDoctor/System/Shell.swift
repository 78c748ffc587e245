/// Quotes words for a shell command line.
enum Shell {
  /// The text as one word of a POSIX shell. Quotes it if necessary.
  static func word(_ text: String) -> String {
    let plain = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:@%+=,".utf8)
    if !text.isEmpty, text.utf8.allSatisfy(plain.contains) { return text }
    return "'" + text.replacing("'", with: #"'\''"#) + "'"
  }
}
