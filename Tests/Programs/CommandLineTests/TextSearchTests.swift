import TesseraCore
import Testing

@Suite("Searches for a text in a text")
struct TextSearchTests {
  /// Where a text of bytes begins to hold another one, tried at every place.
  private func firstOffset(of text: [UInt8], in whole: [UInt8]) -> Int? {
    guard text.count <= whole.count else { return nil }
    return (0...whole.count - text.count).first { whole[$0..<$0 + text.count].elementsEqual(text) }
  }

  @Test("find the first occurrence, as a comparison at every place does")
  func everyShortText() {
    // Every text of at most 6 letters out of two, in which every text of at most 3 is looked for.
    func texts(_ length: Int) -> [String] {
      length == 0 ? [""] : texts(length - 1).flatMap { [$0 + "a", $0 + "b"] }
    }
    for whole in (0...6).flatMap(texts) {
      for text in (0...3).flatMap(texts) {
        let expected = firstOffset(of: Array(text.utf8), in: Array(whole.utf8))
        let found = whole.firstRange(of: text)
        #expect(found.map { whole.utf8.distance(from: whole.startIndex, to: $0.lowerBound) } == expected)
        #expect(found.map { String(whole[$0]) } == expected.map { _ in text })
        #expect(whole.contains(text) == (expected != nil))
      }
    }
  }

  @Test("compare bytes, so a text is found in front of a combining character")
  func combiningCharacters() {
    let mark = "\u{301}"
    #expect("<script>\(mark)".contains("<script>"))
    #expect("a\(mark)".firstRange(of: "a") != nil)
    #expect("a\"\(mark)b".split(separator: "\"") == ["a", "\(mark)b"])
    #expect("\r\n".contains("\n"))
    // The same letter, once as one code point and once as two.
    #expect(!"\u{e9}".contains("e\(mark)"))
  }

  @Test("give parts of the text that they search")
  func slices() throws {
    let line = "key=value=rest"
    let rest = line[try #require(line.firstRange(of: "=")).upperBound...]
    #expect(rest.firstRange(of: "=").map { line[$0.upperBound...] } == "rest")
    #expect(rest.firstRange(of: "key") == nil)
  }

  @Test(
    "replace every occurrence from the left",
    arguments: [
      ("aaa", "aa", "b", "ba"), ("a.b.c", ".", "", "abc"), ("abc", "", "x", "abc"), ("", "a", "b", ""),
      ("<&<", "<", "&lt;", "&lt;&&lt;"), ("a", "a", "aa", "aa"), ("ab", "abc", "x", "ab"),
    ])
  func replacing(whole: String, text: String, replacement: String, expected: String) {
    #expect(whole.replacing(text, with: replacement) == expected)
  }

  @Test("split at every occurrence")
  func splitting() {
    #expect("--a--b--".split(separator: "--") == ["a", "b"])
    #expect("--a--b--".split(separator: "--", omittingEmptySubsequences: false) == ["", "a", "b", ""])
    #expect("a: b: c".split(separator: ": ", maxSplits: 1) == ["a", "b: c"])
    #expect("::a::b".split(separator: "::", maxSplits: 1) == ["a", "b"])
    #expect("::a".split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false) == ["", "a"])
    #expect("a".split(separator: "::") == ["a"])
    #expect("a".split(separator: "") == ["a"])
    #expect("".split(separator: "a") == [])
    #expect("".split(separator: "a", omittingEmptySubsequences: false) == [""])
  }
}
