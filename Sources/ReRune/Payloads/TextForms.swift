internal import TesseraJSON

/// The text for one key, in the forms that a number chooses between.
struct TextForms {
  let key: String
  /// The text without a number, which is the form `other`; nil if there is none.
  var text: String?
  /// The forms by the names of plural categories, and of single numbers: `one`, `=0`.
  var forms: [String: String] = [:]
  /// What is subtracted from a number before its category is chosen.
  var offset = 0

  init(_ key: String, _ text: String?) { (self.key, self.text) = (key, text) }

  /// - Returns: nil without the form `other`.
  init?(_ key: String, forms: [String: String], offset: Int = 0) {
    guard let text = forms["other"] else { return nil }
    (self.key, self.text, self.forms, self.offset) = (key, text, forms, offset)
  }

  /// The key under which a table has a form. No key of a program has a zero byte.
  static func key(_ key: String, _ form: String) -> String { "\(key)\0\(form)" }

  static let offsetName = "offset"

  /// The texts by their keys in a table.
  var texts: [(key: String, text: String)] {
    guard let text else { return [] }
    let named = forms.filter { $0.key != "other" }.sorted { $0.key < $1.key }
    return [(key, text)] + named.map { (Self.key(key, $0.key), $0.value) }
      + (offset == 0 || forms.isEmpty ? [] : [(Self.key(key, Self.offsetName), String(offset))])
  }
}
