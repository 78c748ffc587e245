import Testing

@testable import TesseraBridge

@Suite("Reasons of authentication prompts")
struct BiometricReasonTests {
  @Test("limits the reason in bytes for any number of combining marks")
  func length() {
    let marks = "a" + String(repeating: "\u{301}", count: 500_000)
    for text in [marks, String(repeating: "x", count: 1_000), String(repeating: "\u{1F600}", count: 1_000)] {
      let shown = BiometricReason.displayed(text)
      #expect((BiometricReason.maximumLength - 3...BiometricReason.maximumLength).contains(shown.utf8.count))
      #expect(text.unicodeScalars.starts(with: shown.unicodeScalars))
    }
    #expect(BiometricReason.displayed("Pay 5 €") == "Pay 5 €")
    for nothing in [nil, "", " \u{202E}\n"] { #expect(BiometricReason.displayed(nothing) == "Confirm that it is you") }
  }
}
