import Testing

@testable import TesseraNATS

@Suite("Subjects and headers")
struct SubjectTests {
  @Test(
    "Subjects of messages have no wildcards", arguments: ["a", "a.b", "$JS.API.INFO", "a.ü", "tessera.read.d-1.x_Y"])
  func valid(subject: String) {
    #expect(NATSSubject.isValid(subject))
    #expect(NATSSubject.isPattern(subject))
  }

  @Test("Wildcards are for subscriptions", arguments: ["*", ">", "a.*", "a.*.b", "a.>", "*.*.>"])
  func patterns(subject: String) {
    #expect(!NATSSubject.isValid(subject))
    #expect(NATSSubject.isPattern(subject))
  }

  @Test(
    "Nothing else is a subject",
    arguments: [
      "", ".", "a.", ".a", "a..b", "a b", "a\tb", "a\r\nPUB b 0", "a\u{0}b", "a\u{7F}", ">.a", "a.>.b", "a*", "a.b>",
      "**", String(repeating: "a", count: 1025),
    ])
  func invalid(subject: String) {
    #expect(!NATSSubject.isValid(subject))
    #expect(!NATSSubject.isPattern(subject))
  }

  @Test("A header cannot contain another one")
  func headers() {
    #expect(([("Name", "some value"), ("Other", "x")] as NATSHeaders).areValid)
    for (name, value) in [
      ("", "a"), ("a", ""), ("a", " "), ("a", " b"), ("a", "b "), ("a b", "a"), ("a:", "a"), ("a", "b\r\nc: d"),
      ("a", "\n"), ("ü", "a"), ("a", "\u{0}"),
    ] {
      let headers: NATSHeaders = [(name, value)]
      #expect(!headers.areValid, "\(headers)")
    }
  }
}
