import Testing

@testable import TesseraManual

@Suite("Text in the notation of roff")
struct RoffTests {
  @Test("a line never begins with a request")
  func requests() {
    #expect(Roff.prose(".so passwd") == ["\\&.so passwd"])
    #expect(Roff.prose("'tis") == ["\\&'tis"])
    #expect(Roff.display([".Dd", "'a"]).dropFirst().dropLast() == ["\\&.Dd", "\\(aqa"])
  }

  @Test("a line break in an argument or in the text of a macro begins no request")
  func lineBreaks() {
    #expect(Roff.line("Lists\n.so passwd") == "Lists .so passwd")
    #expect(Roff.line("Lists\r\n.Nm") == "Lists .Nm")
    #expect(Roff.argument("a\n.so") == "\"a .so\"" && Roff.argument("a\r\nb") == "\"a b\"")
  }

  @Test("hyphens of options, paths and code stay, others are hyphens")
  func hyphens() {
    #expect(
      Roff.prose("A well-known `key-store` and --skip-pace.") == [
        "A well-known \\%\\fBkey\\-store\\fP and \\%\\-\\-skip\\-pace."
      ])
    #expect(Roff.prose("Files; - for standard input.") == ["Files; \\- for standard input."])
  }

  @Test("backslashes, quotation marks and letters of other scripts are written by name")
  func glyphs() {
    #expect(Roff.literal(#"a\n'"`~^…“”é"#) == #"a\en\(aq\(dq\(ga\(ti\(ha...\(lq\(rq\[u00E9]"#)
  }

  @Test("each sentence has lines of its own, of at most 76 bytes")
  func sentences() {
    #expect(Roff.prose("One. Two e.g. three? “Four” five.") == ["One.", "Two e.g. three?", "\\(lqFour\\(rq five."])
    let long = Roff.prose(Array(repeating: "word", count: 60).joined(separator: " "))
    #expect(long.count == 4 && long.allSatisfy { $0.utf8.count <= 76 })
    #expect(Roff.prose("").isEmpty)
  }

  @Test("an argument of a macro is never another macro")
  func arguments() {
    #expect(Roff.argument("No") == "\\&No" && Roff.argument("name") == "name" && Roff.argument("|") == "\\&|")
    #expect(Roff.argument("two words") == "\"two words\"")
    #expect(Roff.argument("") == "\\&" && Roff.argument("\n") == "\\&")
  }
}

@Suite("The text of a command")
struct CommandTextTests {
  @Test("is divided into description, exit status and examples")
  func divided() {
    let text = CommandText(
      """
      First line
      and second.

      Exit status: 0 done, 5 not done.

      Examples:
        tessera a
          --b

      A grant:
        https://a = b
      and more.
      """)
    #expect(
      text.description == [
        .paragraph("First line and second."), .paragraph("A grant:"), .display(["https://a = b"]),
        .paragraph("and more."),
      ])
    #expect(text.exitStatus == "0 done, 5 not done.")
    #expect(text.examples == ["tessera a", "  --b"])
  }

  @Test("has lines that end as on other systems, too")
  func lineEnds() {
    let text = CommandText("First.\r\n\r\nExamples:\r\n  tool a\r  tool b\r\n")
    #expect(text.description == [.paragraph("First.")] && text.examples == ["tool a", "tool b"])
  }

  @Test("is empty for an empty discussion")
  func empty() { #expect(CommandText("") == CommandText("\n \n")) }
}
