/// Words for a command line that somebody will paste.
enum Shell {
  /// The text as one word of a POSIX shell, whatever is in it.
  static func word(_ text: String) -> String {
    let plain = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:@%+=,".utf8)
    if !text.isEmpty, text.utf8.allSatisfy(plain.contains) { return text }
    return "'" + text.replacing("'", with: #"'\''"#) + "'"
  }
}
