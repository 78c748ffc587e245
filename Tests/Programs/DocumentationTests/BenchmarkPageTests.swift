import BenchmarkPage
import Foundation
import TestSupport
import Testing

@Suite("The page of benchmarks")
struct BenchmarkPageTests {
  // MARK: - Tables

  @Test(
    "a cell shows its text as it is, on one line",
    arguments: [
      ("a|b", #"a\|b"#), (#"a\|b"#, #"a\\\|b"#), ("one\ntwo", "one two"), ("one\r\ntwo", "one two"),
      ("*a* _b_ `c`", #"\*a\* \_b\_ \`c\`"#), ("<b>&[x]", #"\<b\>\&\[x\]"#), ("--help", #"-\-help"#),
      ("P-256", "P-256"), ("Ω – 18", "Ω – 18"), ("", ""),
    ])
  func escaping(text: String, expected: String) { #expect(MarkdownTable.escaped(text) == expected) }

  @Test("numbers stand at the right, and every line has as many cells as there are columns")
  func alignment() {
    let table = MarkdownTable(
      columns: [.init("work"), .init("a|b", .right)], rows: [["read", "1.22"], ["short"], ["long", "2", "3"]])
    #expect(
      table.text == #"""
        | work | a\|b |
        | --- | ---: |
        | read | 1.22 |
        | short |  |
        | long | 2 |
        """#)
  }

  @Test("a row has its peers, its floor and its value; what is missing is a dash")
  func rows() {
    let table = BenchmarkTable(
      "Exchanges",
      [
        BenchmarkRow(
          "BAC", .exchanges, peers: [PeerFigure("one", "106"), PeerFigure("two", "4.1 to 7.1")], floor: 95,
          floorName: "floor", ours: 96),
        BenchmarkRow("PACE", .exchanges),
      ])
    #expect(
      table.markdown == """
        ### Exchanges

        | work | unit | peers | floor | Tessera | what the floor is |
        | --- | --- | --- | ---: | ---: | --- |
        | BAC | exchanges | one 106, two 4.1 to 7.1 | 95 | 96 | floor |
        | PACE | exchanges | – | – | – | – |
        """)
  }

  @Test("a table without peers has no column for them")
  func withoutPeers() {
    let table = BenchmarkTable("Service", [BenchmarkRow("sign", .perSecond, floor: 10, floorName: "echo", ours: 9.6)])
    #expect(
      table.markdown == """
        ### Service

        | work | unit | floor | Tessera | what the floor is |
        | --- | --- | ---: | ---: | --- |
        | sign | /s | 10 | 10 | echo |
        """)
  }

  @Test(
    "a value has the digits that matter in its unit",
    arguments: [
      (BenchmarkUnit.milliseconds, 0.0581, "0.058"), (.milliseconds, 1.216, "1.22"), (.milliseconds, 18.25, "18.3"),
      (.milliseconds, 529.6, "530"), (.milliseconds, 0.0, "0.000"), (.mebibytes, 33.04, "33.0"),
      (.exchanges, 95.0, "95"),
      (.perSecond, 48_211.7, "48212"), (.millions, 9.96, "10.0"), (.exchanges, -3.0, "-3"),
      (.milliseconds, Double.nan, "–"), (.milliseconds, Double.infinity, "–"), (.perSecond, 1e300, "–"),
    ])
  func digits(unit: BenchmarkUnit, value: Double, expected: String) { #expect(unit.text(value) == expected) }

  // MARK: - The machine

  @Test("the machine is described by processor, number of processors, kernel and distribution")
  func machine() {
    let machine = MeasuredMachine(
      cpuInfo: "processor\t: 0\nmodel name\t: Example(R) CPU @ 2.20GHz\n\nprocessor\t: 1\nmodel name\t: Other\n",
      osRelease: "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n", kernel: "6.1.0-18-amd64\n",
      processorCount: 2)
    #expect(
      machine.text == "Example(R) CPU @ 2.20GHz, 2 processors, Linux 6.1.0-18-amd64, Debian GNU/Linux 12 (bookworm)")
  }

  @Test("what the system does not say is unknown")
  func unknownMachine() {
    let machine = MeasuredMachine(
      cpuInfo: "processor : 0\nmodel name :\n", osRelease: "PRETTY_NAME", kernel: "", processorCount: 1)
    #expect(machine.text == "unknown processor, 1 processor, unknown kernel, unknown distribution")
  }

  @Test("a report states the day, the machine and the origin of the peers' figures")
  func report() {
    let machine = MeasuredMachine(cpuInfo: "", osRelease: "PRETTY_NAME=a|b", kernel: "6.1", processorCount: 2)
    let text = BenchmarkReport(
      day: "2026-12-01", machine: machine, originOfPeers: "Peers: elsewhere.",
      tables: [BenchmarkTable("One", []), BenchmarkTable("Two", [])]
    ).markdown
    #expect(text.hasPrefix("Measured on 2026-12-01: unknown processor, 2 processors, Linux 6.1, a\\|b.\n\n"))
    #expect(text.contains("\n\nPeers: elsewhere. "))
    #expect(text.contains("\n\n### One\n\n| work "))
    #expect(text.contains("|\n\n### Two\n\n| work "))
  }

  // MARK: - The page

  private static let page = "# T\n\n\(PageMarks.begin)\nold\n\(PageMarks.end)\n\nrest  \n\t| x |\n"

  @Test("the part between the marks is replaced, and nothing else")
  func replacing() throws {
    let expected = "# T\n\n\(PageMarks.begin)\n\nnew\nlines\n\n\(PageMarks.end)\n\nrest  \n\t| x |\n"
    let once = try PageMarks.replacing(in: Self.page, with: "new\nlines")
    #expect(once == expected)
    #expect(try PageMarks.replacing(in: once, with: "new\nlines") == expected, "a second run changes nothing")
  }

  @Test("a page without line breaks at its end and beginning keeps its form")
  func edges() throws {
    let page = "\(PageMarks.begin)\n\(PageMarks.end)"
    #expect(try PageMarks.replacing(in: page, with: "x") == "\(PageMarks.begin)\n\nx\n\n\(PageMarks.end)")
  }

  @Test(
    "a page without exactly one pair of marks is refused",
    arguments: [
      ("", PageMarkProblem.missing(PageMarks.begin)), (PageMarks.begin, .missing(PageMarks.end)),
      (PageMarks.end, .missing(PageMarks.begin)),
      // A mark is a whole line.
      (" \(PageMarks.begin)\n\(PageMarks.end)", .missing(PageMarks.begin)),
      ("\(PageMarks.end)\n\(PageMarks.begin)", .wrongOrder),
      ("\(PageMarks.begin)\n\(PageMarks.begin)\n\(PageMarks.end)", .repeated(PageMarks.begin)),
      ("\(PageMarks.begin)\n\(PageMarks.end)\n\(PageMarks.end)", .repeated(PageMarks.end)),
    ])
  func refused(page: String, problem: PageMarkProblem) {
    #expect(throws: problem) { try PageMarks.replacing(in: page, with: "x") }
  }

  @Test("the article has the marks, and one of both: tables, or the sentence that nothing was measured")
  func article() throws {
    let file = Fixtures.tests.deletingLastPathComponent()
      .appendingPathComponent("Sources/Tessera/Tessera.docc/Benchmarks.md")
    let page = try String(contentsOf: file, encoding: .utf8)
    #expect(try PageMarks.replacing(in: page, with: "x") != page)
    #expect(page.contains("\nNot measured yet.\n") != page.contains("\nMeasured on "))
  }
}
