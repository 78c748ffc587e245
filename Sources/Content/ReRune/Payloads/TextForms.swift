internal import TesseraJSON

/// What a server sent for one key: a text in the forms that a number chooses between, or that there is none any more.
struct TextForms {
  let key: String
  /// The text without a number, which is the form `other`; nil if there is none.
  let text: String?
  /// The forms by the names of plural categories, and of single numbers: `one`, `=0`.
  var forms: [String: String] = [:]
  /// What is subtracted from a number before its category is chosen.
  var offset = 0

  /// More forms than a language has categories, and a few numbers.
  static let maximumForms = 32

  init(_ key: String, _ text: String?) { (self.key, self.text) = (key, text) }

  /// - Returns: nil without the form `other`, and for more forms or texts than a payload may have.
  init?(_ key: String, forms: [String: String], offset: Int = 0) {
    guard let text = forms["other"], forms.count <= Self.maximumForms,
      forms.values.reduce(0, { $0 + $1.utf8.count }) <= TranslationPayload.maximumSize
    else { return nil }
    (self.key, self.text, self.forms, self.offset) = (key, text, forms, offset)
  }

  /// The key under which a table has a form. No key of a program has a zero byte.
  static func key(_ key: String, _ form: String) -> String { "\(key)\0\(form)" }

  /// The key of the text that a form belongs to.
  static func key(ofForm key: String) -> String { key.utf8.firstIndex(of: 0).map { String(key[..<$0]) } ?? key }

  static let offsetName = "offset"

  /// The texts by their keys in a table.
  var texts: [(key: String, text: String)] {
    guard let text else { return [] }
    let named = forms.filter { $0.key != "other" }.sorted { $0.key < $1.key }
    return [(key, text)] + named.map { (Self.key(key, $0.key), $0.value) }
      + (offset == 0 || forms.isEmpty ? [] : [(Self.key(key, Self.offsetName), String(offset))])
  }
}
