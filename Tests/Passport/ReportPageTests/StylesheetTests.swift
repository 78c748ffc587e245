import Testing

@testable import TesseraReportPage

@Suite("The style sheet of the report")
struct StylesheetTests {
  /// The colours of one scheme by name.
  private static func palette(_ text: Substring) -> [String: Screenshot.Colour] {
    var palette: [String: Screenshot.Colour] = [:]
    for match in text.matches(of: /--([a-z-]+): #([0-9a-f]{6});/) {
      let number = Int(match.2, radix: 16) ?? 0
      palette[String(match.1)] = (number >> 16, number >> 8 & 0xFF, number & 0xFF)
    }
    return palette
  }

  @Test("texts have a contrast of at least 4.5 to 1 in both colour schemes")
  func contrast() throws {
    let sheet = Stylesheet.text.description
    let parts = sheet.split(separator: "@media screen and (prefers-color-scheme: dark)", maxSplits: 1)
    try #require(parts.count == 2)
    let pairs = [
      ("ink", ["sheet", "page", "tint", "good-tint", "bad-tint", "open-tint"]), ("soft", ["sheet", "tint"]),
      ("good", ["sheet", "good-tint"]), ("bad", ["sheet", "bad-tint", "open-tint", "good-tint"]),
      ("open", ["sheet", "open-tint"]), ("neutral", ["sheet", "neutral-tint"]),
    ]
    for part in parts {
      let palette = Self.palette(part)
      for (text, backgrounds) in pairs {
        for background in backgrounds {
          let colours = (try #require(palette[text]), try #require(palette[background]))
          #expect(Contrast.ratio(colours.0, colours.1) >= 4.5, "\(text) on \(background)")
        }
      }
    }
  }

  @Test("loads nothing")
  func isSelfContained() {
    let sheet = Stylesheet.text.description
    for word in ["url(", "@import", "http", "expression", "</"] { #expect(!sheet.contains(word), "\(word)") }
  }
}
