import Testing

@testable import TesseraReportPage

@Suite("Texts of the page")
struct PageTextTests {
  @Test("markup, quotes and ampersands are escaped, in texts and in attributes")
  func escapes() {
    let hostile = "<script>alert(1)</script>\"'>&amp;"
    let escaped = "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&amp;amp;"
    #expect(HTML.element("p", [], hostile).markup == "<p>\(escaped)</p>")
    #expect(HTML.element("p", [.title(hostile)]).markup == "<p title=\"\(escaped)\"></p>")
    #expect(HTML.element("img", [.alt(hostile)]).markup == "<img alt=\"\(escaped)\">")
  }

  @Test("one attribute has all classes")
  func classes() {
    #expect(HTML.element("p", [.class("a"), .title("t"), .class("b")]).markup == "<p class=\"a b\" title=\"t\"></p>")
  }

  // Not arguments of the test: its name on the terminal would contain them.
  private static let unclean = [
    ("a\u{202E}b\u{2066}c\u{2069}d\u{200F}e\u{FEFF}f", "abcdef"), ("a\0b\u{1B}[31mc\u{85}", "ab[31mc"),
    ("a\r\nb\tc\u{2028}d", "a  b c d"), ("م\u{200C}ی", "م\u{200C}ی"), ("a\u{E000}b\u{10FFFF}", "a\u{FFFD}b\u{FFFD}"),
    ("ΤΕΣΣΑ 姓名 Тесса تسا", "ΤΕΣΣΑ 姓名 Тесса تسا"), ("", ""),
  ]

  @Test("control characters and marks of the writing direction are removed, line ends become spaces")
  func cleans() {
    for (text, expected) in Self.unclean {
      #expect(PageText.cleaned(text).unicodeScalars.elementsEqual(expected.unicodeScalars), "\(expected)")
    }
  }

  @Test("a long text ends with an ellipsis, a stack of marks is cut")
  func bounds() {
    #expect(PageText.cleaned(String(repeating: "x", count: 100_000), limit: 10) == "xxxxxxxxx…")
    #expect(PageText.cleaned("1234567890", limit: 10) == "1234567890")
    #expect(PageText.cleaned("12", limit: 0) == "…")
    let stack = "e" + String(repeating: "\u{301}", count: 1_000) + "f"
    #expect(PageText.cleaned(stack).unicodeScalars.count == 6)
  }

  @Test(
    "names of DG11",
    arguments: [
      ("ΣΠΕΣΙΜΕΝ<<ΤΕΣΣΑ<ΜΑΡΙΑ", "ΣΠΕΣΙΜΕΝ, ΤΕΣΣΑ ΜΑΡΙΑ"), ("MONONYM", "MONONYM"), ("<<", ""), ("A<<B<<C", "A, B C"),
      ("<<GIVEN", ", GIVEN"),
    ])
  func names(_ stored: String, _ shown: String) {
    #expect(HolderName(stored).text == shown)
  }
}
