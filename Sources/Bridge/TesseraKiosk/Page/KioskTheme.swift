package import TesseraCore
package import TesseraJSON

/// The look of Tessera's page in a kiosk, from a folder with `theme.json` and a logo:
///
/// ```json
/// {
///   "logo": "logo.svg",
///   "colors": {"accent": "#0a5c36", "page": "#f4f1ea"},
///   "darkColors": {"accent": "#7fd1a8"},
///   "language": "fr",
///   "words": {"fr": {"title": "Contrôle d’un document", "done": "Terminé"}},
///   "fields": ["name", "number", "expiry"]
/// }
/// ```
///
/// All members are optional. Words that a language lacks are English.
package struct KioskTheme: Sendable {
  /// The file of the logo under its name.
  package let logo: (name: String, file: BundledContent.File)?
  /// What is added to the page's style sheet.
  package let styles: String
  /// What the page's scripts learn.
  package let about: JSONObject

  private static let members = ["logo", "colors", "darkColors", "language", "words", "fields"]
  /// The colours of the page, by the names of its style sheet without `--`.
  package static let colors = [
    "page", "sheet", "ink", "soft", "line", "edge", "tint", "accent", "on-accent", "good", "good-tint", "bad",
    "bad-tint", "open", "open-tint",
  ]
  /// The fields of the data page that the result can show.
  package static let fields = [
    "name", "zoneName", "number", "type", "state", "nationality", "birth", "expiry", "sex", "personal", "birthPlace",
    "portrait",
  ]

  /// - Parameter folder: a folder with `theme.json`.
  /// - Throws: `Failure` of the kind `usage`, which names the member that is wrong.
  package init(folder path: String) throws(Failure) {
    let folder = FileFolder(path: path)
    let theme = try Self.object(try folder.bytes("theme.json", upTo: 1 << 20))
    if let name = theme.names.first(where: { !Self.members.contains($0) }) {
      throw Self.wrong(
        "theme.json has the unknown member “\(PrintableText.of(name))”.",
        "Its members are \(Self.members.joined(separator: ", ")).")
    }
    logo = try Self.logo(theme["logo"], folder)
    let dark = try Self.rule(theme["darkColors"], "darkColors")
    styles =
      try Self.rule(theme["colors"], "colors")
      + (dark.isEmpty ? "" : "\n@media (prefers-color-scheme: dark) {\(dark) }\n")
    var about = JSONObject()
    about["logo"] = logo.map { .string($0.name) }
    about["words"] = try theme["words"].map(ThemeWords.checked)
    about["language"] = try theme["language"].map { value throws(Failure) in
      try ThemeWords.language(value, theme["words"])
    }
    about["fields"] = try theme["fields"].map(Self.fields)
    self.about = about
  }

  private static func object(_ bytes: [UInt8]) throws(Failure) -> JSONObject {
    do {
      if case .object(let theme) = try JSONValue(handwritten: bytes) { return theme }
    } catch {
      let line = bytes.prefix(max(error.offset, 0)).count { $0 == UInt8(ascii: "\n") } + 1
      throw wrong("theme.json is not JSON (line \(line)).")
    }
    throw wrong("theme.json is not a JSON object.")
  }

  private static func logo(
    _ value: JSONValue?, _ folder: FileFolder
  ) throws(Failure) -> (name: String, file: BundledContent.File)? {
    guard let value else { return nil }
    // One name: it becomes a part of an address.
    guard let name = value.stringValue, name.utf8.allSatisfy(isNameByte), !name.hasPrefix("."),
      case let type = FileFolder.mediaType(of: name), type.hasPrefix("image/")
    else {
      throw wrong(
        "The logo of theme.json is not the name of a picture.", "Name a file of the folder, such as logo.svg.")
    }
    return ("logo-\(name)", BundledContent.File(mediaType: type, bytes: try folder.bytes(name, upTo: 4 << 20)))
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// Empty without colours.
  private static func rule(_ value: JSONValue?, _ member: String) throws(Failure) -> String {
    guard let value else { return "" }
    guard case .object(let wanted) = value else { throw wrong("\(member) of theme.json is not an object.") }
    var text = ""
    for one in wanted.members {
      guard colors.contains(one.name) else {
        throw wrong(
          "\(member) of theme.json has the unknown colour “\(PrintableText.of(one.name))”.",
          "The colours are \(colors.joined(separator: ", ")).")
      }
      // Nothing else than a number may reach the style sheet.
      guard let color = one.value.stringValue, color.hasPrefix("#"), [4, 5, 7, 9].contains(color.utf8.count),
        color.utf8.dropFirst().allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
      else {
        throw wrong(
          "The colour \(one.name) of theme.json is not a hexadecimal CSS colour.", "Write it like #0a5c36.")
      }
      text += " --\(one.name): \(color);"
    }
    return text.isEmpty ? "" : "\n:root {\(text) }"
  }

  private static func fields(_ value: JSONValue) throws(Failure) -> JSONValue {
    let remedy = "The fields are \(fields.joined(separator: ", "))."
    guard case .array(let items) = value else { throw wrong("fields of theme.json is not a list.", remedy) }
    for item in items {
      guard let name = item.stringValue else {
        throw wrong("fields of theme.json has something else than texts.", remedy)
      }
      guard fields.contains(name) else {
        throw wrong("fields of theme.json has the unknown field “\(PrintableText.of(name))”.", remedy)
      }
    }
    return value
  }

  static func wrong(_ cause: String, _ remedy: String = "Correct the file.") -> Failure {
    Failure(.usage, cause, remedy: remedy)
  }
}
