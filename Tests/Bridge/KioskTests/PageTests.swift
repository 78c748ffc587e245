import Foundation
import TesseraCore
import TesseraJSON
import TesseraKiosk
import TesseraVerificationPage
import TestSupport
import Testing

@Suite("The page of a kiosk")
struct PageTests {
  let place: TemporaryFolder

  init() throws { place = try TemporaryFolder() }

  private func write(_ text: String, _ name: String) throws {
    let path = place.file(name)
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private func text(_ file: BundledContent.File?) -> String { String(decoding: file?.bytes ?? [], as: UTF8.self) }

  @Test("is Tessera's own, and knows that it is in a kiosk")
  func own() {
    let page = KioskPage.verification(keepsResults: true)
    #expect(text(page.files["bridge.js"]).contains(#"tesseraKiosk = {"results":true,"seals":false}"#))
    #expect(Set(page.files.keys) == Set(BundledContent.verificationPage.files.keys))
    #expect(page.securityPolicy.contains("img-src 'self' data:"))
  }

  @Test("has the logo, the colours, the words and the fields of a theme")
  func theme() throws {
    try write("<svg/>", "logo.svg")
    try write(
      ##"""
      {"logo": "logo.svg", "colors": {"accent": "#0a5c36"}, "darkColors": {"on-accent": "#000"}, "language": "fr",
       "words": {"fr": {"title": "Contrôle", "steps": ["Un"]}}, "fields": ["name", "portrait"]}
      """##, "theme.json")
    let page = KioskPage.verification(try KioskTheme(folder: place.url.path), keepsResults: false)
    let style = text(page.files["page.css"])
    #expect(style.contains(":root { --accent: #0a5c36; }"))
    #expect(style.contains("dark) {\n:root { --on-accent: #000; } }"))
    #expect(page.files["logo-logo.svg"]?.mediaType == "image/svg+xml")
    let script = text(page.files["bridge.js"])
    #expect(
      script.contains(#""logo":"logo-logo.svg""#) && script.contains("Contrôle") && script.contains(#""seals":true"#))
  }

  @Test(
    "refuses a theme that is wrong, and says what",
    arguments: [
      ("[]", "object"), (#"{"color": {}}"#, "color"), (#"{"colors": {"accent": "red; } body {"}}"#, "accent"),
      (##"{"colors": {"shadow": "#000"}}"##, "shadow"), (#"{"logo": "../logo.svg"}"#, "logo"),
      (#"{"logo": "logo.txt"}"#, "logo"), (#"{"logo": "missing.svg"}"#, "missing.svg"),
      (#"{"words": {"fr": {"title": 1}}}"#, "title"), (#"{"words": {"f": {}}}"#, "“f”"),
      (#"{"fields": ["photo"]}"#, "fields"), (#"{"language": "fr_FR"}"#, "language"),
      ("{\n\"fields\": [}", "line 2"), (#"{"fields": ["photo"]}"#, "“photo”"), (#"{"language": "fr"}"#, "no words"),
      (#"{"words": {"fr": {"titel": "Contrôle"}}}"#, "“fr.titel”"), (#"{"words": {"german": {}}}"#, "“german”"),
      (#"{"words": {"fr": {"reasons": {"date": "Faux"}}}}"#, "“fr.reasons.date”"),
      (#"{"words": {"fr": {"title": ["Contrôle"]}}}"#, "“fr.title”"),
      (#"{"words": {"fr": {"steps": ["1", "2", "3", "4", "5", "6", "7"]}}}"#, "“fr.steps”"),
      (#"{"colors": {"accent": "red"}}"#, "hexadecimal"),
    ])
  func wrongTheme(_ json: String, _ word: String) throws {
    try write(json, "theme.json")
    let error = #expect(throws: Failure.self) { try KioskTheme(folder: place.url.path) }
    #expect(error?.kind == .usage && error?.cause.contains(word) == true, "\(error?.cause ?? "")")
  }

  @Test("has words that a theme can replace: all that it prints, in each language")
  func words() throws {
    let english = PageWords.english
    #expect(english["title"] == "Check a document" && english["checkNames"]?["passive.hashes"] != nil)
    for (tag, words) in PageWords.languages { #expect(words.names == english.names, "\(tag)") }
    for tag in ["de", "en", "pt-BR"] {
      try write(PageWords.themeFragment(tag), "theme.json")
      let theme = try KioskTheme(folder: place.url.path)
      #expect(theme.about["language"] == .string(tag))
    }
    #expect(PageWords.themeFragment("de").contains(#"    "de": {"# + "\n      \"title\": \"Dokument prüfen\","))
  }

  @Test("says in the language of the page that it comes again")
  func notice() throws {
    #expect(KioskNotice(nil, [:]).title == "One moment")
    #expect(KioskNotice(nil, ["LC_ALL": "", "LANG": "de_DE.UTF-8"]).title == "Einen Moment")
    try write(
      #"{"language": "fr", "words": {"fr": {"oneMoment": "Un instant"}, "de": {"tryAgain": "Los"}}}"#, "theme.json")
    let theme = try KioskTheme(folder: place.url.path)
    let notice = KioskNotice(theme, ["LANG": "de_DE.UTF-8"])
    // What a language lacks is English.
    #expect(notice.title == "Un instant" && notice.message == "This screen starts again.")
    try write(#"{"words": {"de": {"tryAgain": "Los"}}}"#, "theme.json")
    let german = KioskNotice(try KioskTheme(folder: place.url.path), ["LANG": "de_DE.UTF-8"])
    #expect(german.button == "Los" && german.title == "Einen Moment")
  }

  @Test("is not painted before it has its words, which may say something else of privacy")
  func begin() {
    let files = KioskPage.verification(keepsResults: true).files
    #expect(text(files["bridge.js"]).contains("dataset.begins = \"\""))
    #expect(text(files["page.css"]).contains("[data-begins] body"))
    #expect(text(files["main.js"]).contains("delete document.documentElement.dataset.begins"))
    #expect(!text(BundledContent.verificationPage.files["bridge.js"]).contains("begins"))
  }

  @Test("says that the file of a theme cannot be read")
  func missingTheme() {
    let error = #expect(throws: Failure.self) { try KioskTheme(folder: place.file("nowhere")) }
    #expect(error?.cause.contains("cannot be read") == true)
  }

  @Test("is one from a folder, with the client of the bridge, and without links that lead elsewhere")
  func folder() throws {
    try write("<!doctype html>", "index.html")
    try write("body {}", "style/page.css")
    try write("secret", ".hidden/secret.txt")
    #expect(symlink("/etc/passwd", place.file("users.txt")) == 0)
    #expect(symlink(place.url.path, place.file("again")) == 0)
    let page = try KioskPage.folder(place.url.path)
    #expect(Set(page.files.keys) == ["index.html", "style/page.css", "tessera.js"])
    #expect(page.files["style/page.css"]?.mediaType == "text/css")
    // The folder's own client wins.
    try write("own", "tessera.js")
    #expect(text(try KioskPage.folder(place.url.path).files["tessera.js"]) == "own")
  }

  @Test("needs an index.html")
  func noIndex() throws {
    let error = #expect(throws: Failure.self) { try KioskPage.folder(place.url.path) }
    #expect(error?.cause.contains("index.html") == true)
    #expect(throws: Failure.self) { try KioskPage.folder(place.file("nowhere")) }
  }
}
