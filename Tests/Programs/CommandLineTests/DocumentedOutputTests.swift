import Foundation
import TestSupport
import Testing

extension RealPrograms {
  /// The documentation marks output of the program by `<!-- output: ARGUMENTS -->` before the block. A line `…` stands
  /// for any number of lines.
  @Suite("The output in the documentation")
  struct DocumentedOutputTests {
    struct Block: CustomTestStringConvertible, Sendable {
      let page: String
      let arguments: [String]
      let lines: [String]
      var testDescription: String { "\(page): tessera \(arguments.joined(separator: " "))" }
    }

    static let blocks: [Block] = {
      let root = Fixtures.tests.deletingLastPathComponent()
      let catalogue = root.appendingPathComponent("Sources/Tessera/Tessera.docc")
      let articles = (try? FileManager.default.contentsOfDirectory(atPath: catalogue.path)) ?? []
      let pages =
        [root.appendingPathComponent("README.md")]
        + articles.filter { $0.hasSuffix(".md") }.sorted().map { catalogue.appendingPathComponent($0) }
      return pages.flatMap { page -> [Block] in
        guard let text = try? String(contentsOf: page, encoding: .utf8) else { return [] }
        let lines = text.components(separatedBy: "\n")
        return lines.indices.compactMap { index -> Block? in
          let mark = "<!-- output: "
          guard lines[index].hasPrefix(mark), lines[index].hasSuffix(" -->") else { return nil }
          let arguments = lines[index].dropFirst(mark.count).dropLast(" -->".count).split(separator: " ").map(
            String.init)
          let block = lines[(index + 2)...].prefix { $0 != "```" }
          return Block(page: page.lastPathComponent, arguments: arguments, lines: Array(block))
        }
      }
    }()

    @Test("some pages show output")
    func found() { #expect(Self.blocks.count >= 3) }

    @Test("is what the program prints", arguments: blocks)
    func printed(_ block: Block) async throws {
      let run = try await ProgramRun.tessera(block.arguments)
      #expect(run.status == 0)
      let printed = run.output.split(separator: "\n", omittingEmptySubsequences: false).map {
        Self.normalised(String($0))
      }
      let expected = block.lines.map(Self.normalised)
      #expect(Self.matches(printed[...], expected[...]), "\(block.testDescription) prints:\n\(run.output)")
    }

    /// Durations differ from run to run, and so does the length of an ECDSA signature in DER, which EF.SOD contains. The
    /// certificates of the test country are issued at the time of the run.
    private static func normalised(_ line: String) -> String {
      let line = line.replacing(/\d+ ms\b/, with: "N ms").replacing(
        /EF\.SOD \(11\d\d bytes\)/, with: "EF.SOD (N bytes)"
      )
      .replacing(/\b20[01]\d\d received/, with: "N received")
      guard line.contains(/passive\.(revocation|validity)/) else { return line }
      return line.replacing(/\d{4}-\d\d-\d\d/, with: "DATE")
    }

    private static func matches(_ printed: ArraySlice<String>, _ expected: ArraySlice<String>) -> Bool {
      guard let first = expected.first else { return printed.allSatisfy(\.isEmpty) }
      guard first == "…" else {
        return printed.first == first && matches(printed.dropFirst(), expected.dropFirst())
      }
      return (0...printed.count).contains { matches(printed.dropFirst($0), expected.dropFirst()) }
    }
  }
}
