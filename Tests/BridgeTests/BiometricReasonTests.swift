import Testing

@testable import Bridge

@Suite("What a person reads while asked for a finger")
struct BiometricReasonTests {
  @Test("is cut at a number of bytes, however many marks a letter bears")
  func length() {
    let marks = "a" + String(repeating: "\u{301}", count: 500_000)
    for text in [marks, String(repeating: "x", count: 1_000), String(repeating: "\u{1F600}", count: 1_000)] {
      let shown = BiometricReason.shown(text)
      #expect((BiometricReason.longest - 3...BiometricReason.longest).contains(shown.utf8.count))
      #expect(text.unicodeScalars.starts(with: shown.unicodeScalars))
    }
    #expect(BiometricReason.shown("Pay 5 €") == "Pay 5 €")
    for nothing in [nil, "", " \u{202E}\n"] { #expect(BiometricReason.shown(nothing) == "Confirm that it is you") }
  }
}
