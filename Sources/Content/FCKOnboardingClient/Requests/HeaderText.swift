/// Texts that can be the value of a header (RFC 9110, 5.5).
enum HeaderText {
  private static let maximumLength = 1_024

  /// Whether the text has visible characters of ASCII only.
  static func isValue(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= maximumLength && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
  }

  /// The text if it has visible characters of ASCII and spaces between them only; otherwise nil.
  static func usable(_ text: String?) -> String? {
    guard let text, let first = text.utf8.first, let last = text.utf8.last, first != 0x20, last != 0x20,
      text.utf8.count <= maximumLength, text.utf8.allSatisfy({ 0x20...0x7E ~= $0 })
    else { return nil }
    return text
  }
}
