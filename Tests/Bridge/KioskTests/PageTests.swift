import Foundation
import TesseraCore
import TesseraJSON
import TesseraKiosk
import TesseraLinuxProviders
import TesseraVerificationPage
import TestSupport
import Testing

@testable import KioskGuests

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
      (#"{"words": {"fr": {"dateForm": "x {foo}"}}}"#, "{foo}"),
      (#"{"words": {"fr": {"steps": ["{n}"]}}}"#, "“fr.steps”"),
    ])
  func wrongTheme(_ json: String, _ word: String) throws {
    try write(json, "theme.json")
    let error = #expect(throws: Failure.self) { try KioskTheme(folder: place.url.path) }
    #expect(error?.kind == .usage && error?.cause.contains(word) == true, "\(error?.cause ?? "")")
  }

  @Test("names the words of a theme that lack something, which is no reason not to start")
  func incompleteWords() throws {
    try write(
      #"""
      {"words": {"fr": {"steps": ["1"], "bytes": "{file} octets", "genuineBy": "Par {authority}",
       "problems": {"NO_TRANSPORT": "Rien {message}", "other": "Rien"}}}}
      """#, "theme.json")
    let notes = try KioskTheme(folder: place.url.path).incompleteWords()
    #expect(notes.count == 3, "\(notes)")
    for (note, words) in zip(
      notes, [["“fr.steps”", "1 of 6"], ["“fr.bytes”", "{read}, {total}"], ["“fr.problems.other”", "{message}"]])
    { #expect(words.allSatisfy(note.contains), "\(note)") }
    try write(PageWords.themeFragment("de"), "theme.json")
    #expect(try KioskTheme(folder: place.url.path).incompleteWords().isEmpty)
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
    #expect(PageWords.themeFragment("de-AT").contains(#""title": "Dokument prüfen""#))
    #expect(PageWords.themeFragment("de").contains(#"    "de": {"# + "\n      \"title\": \"Dokument prüfen\","))
  }

  @Test("names the words of a theme that cannot show in this kiosk, and the one that does")
  func unseenWords() throws {
    var plain = GuestBook.Settings(kiosk: "kiosk 1")
    plain.clock = ClockWatch(path: place.file("clock"))
    var keeping = plain
    keeping.destination = (.folder(place.file("results")), try ResultSigner.test(keys: place.file("keys")))
    var printing = GuestBook.Settings(kiosk: "kiosk 1")
    printing.receipt = try ReceiptProgram(path: "/bin/true")
    func unseen(_ theme: String, _ settings: GuestBook.Settings) throws -> [String] {
      try write(theme, "theme.json")
      return try KioskTheme(folder: place.url.path).unseenWords(settings)
    }
    /// Their names, and whether another one shows.
    func names(_ theme: String, _ settings: GuestBook.Settings) throws -> [String] {
      try unseen(theme, settings).map { sentence in
        sentence.matches(of: /“([A-Za-z.-]+)”/).map { String($0.output.1) }.joined(separator: " ")
      }
    }
    let kinds = #"{"words": {"fr": {"privacy": "P", "enterHint": "E", "privacyKept": "Q", "title": "T"}}}"#
    #expect(try names(kinds, plain) == ["fr.privacyKept fr.privacy"])
    #expect(try names(kinds, keeping) == ["fr.privacy fr.privacyKept", "fr.enterHint fr.enterHintKept"])
    #expect(try names(kinds, printing) == ["fr.privacy fr.privacyKept", "fr.enterHint fr.enterHintKept"])
    #expect(
      try unseen(kinds, keeping).first
        == "“fr.privacy” of theme.json does not show: with --results or --receipt, “fr.privacyKept” shows.")
    let seals =
      #"{"words": {"de": {"sealOpen": "S", "sealReasons": {"data": "D", "signer": "E"}, "checkNames": "#
      + #"{"seal.chain": "C", "passive.chain": "P"}, "moreFields": "M"}}}"#
    #expect(try names(seals, plain) == ["de.moreFields de.moreFieldsNotShown"])
    #expect(
      try names(seals, keeping) == ["de.sealOpen", "de.sealReasons", "de.checkNames.seal.chain", "de.moreFields"])
    let signs = #"{"words": {"de": {"notStored": "N", "wrongClock": "W", "save": "S", "other": "O"}}}"#
    #expect(try names(signs, plain) == ["de.notStored", "de.save", "de.other"])
    #expect(try names(signs, keeping) == ["de.save", "de.other"])
    #expect(try names(signs, printing) == ["de.notStored", "de.wrongClock", "de.save", "de.other"])
    let fields =
      #"{"fields": ["name"], "words": {"de": {"data": {"name": "N", "sex": "S", "type": "T"}, "noPortrait": "P"}}}"#
    #expect(try names(fields, plain) == ["de.data.sex fields sex", "de.noPortrait fields portrait"])
    #expect(
      try names(fields, keeping)
        == ["de.data.sex fields sex", "de.data.type fields type", "de.noPortrait fields portrait"])
    // What `--words` prints is no choice of the operator's, unless it is changed.
    for tag in ["de", "en", "pt-BR"] { #expect(try unseen(PageWords.themeFragment(tag), keeping) == [], "\(tag)") }
    let changed = PageWords.themeFragment("de").replacing(#""privacy": ""#, with: #""privacy": "Wirklich: "#)
    #expect(try names(changed, keeping) == ["de.privacy de.privacyKept"])
    #expect(try unseen("{}", keeping) == [])
  }

  @Test("knows the names of the words that a kiosk cannot show")
  func namesOfUnseenWords() throws {
    // All words of a language but one, which makes it no translation of everything, and each changed.
    var texts = PageWords.english
    texts["title"] = nil
    func changed(_ value: JSONValue) -> JSONValue {
      switch value {
      case .string(let text): .string(text + "!")
      case .array(let items): .array(items.map(changed))
      case .object(let object):
        .object(JSONObject(Dictionary(object.members.map { ($0.name, changed($0.value)) }) { $1 }))
      default: value
      }
    }
    try write(JSONValue.object(["words": .object(["fr": changed(.object(texts))])]).text, "theme.json")
    let theme = try KioskTheme(folder: place.url.path)
    let unseen = theme.unseenWords(GuestBook.Settings(kiosk: "kiosk 1"))
    // Without results: those of a launch and of files (11), of results (3), of the clock and of the button.
    #expect(unseen.count == 16, "\(unseen)")
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
