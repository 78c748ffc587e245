import Foundation
import TestSupport

/// The pages of the documentation, and the compiled files that their examples come from.
enum Documentation {
  private static let root = Fixtures.tests.deletingLastPathComponent()

  struct Page {
    let name: String
    let lines: [String]

    /// Whether it is README.md or an article.
    var isArticle: Bool { name.hasSuffix(".md") }

    /// The lines outside of code blocks.
    var text: String {
      var isCode = false
      return lines.filter { line in
        defer { if line.drop(while: { $0 == " " }).hasPrefix("```") { isCode.toggle() } }
        return !isCode
      }.joined(separator: "\n")
    }

    /// The fenced code blocks in this language, each without its common indentation.
    ///
    /// - Parameter language: as after the opening fence.
    func blocks(of language: String) -> [[String]] {
      var blocks: [[String]] = []
      var block: [String]?
      for line in lines {
        let text = line.drop { $0 == " " }
        if let open = block {
          if text == "```" {
            blocks.append(Documentation.dedented(open))
            block = nil
          } else {
            block = open + [line]
          }
        } else if text == "```\(language)" {
          block = []
        }
      }
      return blocks
    }
  }

  /// README.md, the articles of the catalogue, and the documentation comments of all sources.
  static func pages() throws -> [Page] {
    var pages: [Page] = []
    let articles = try files(in: "Sources", suffix: ".md") + [root.appendingPathComponent("README.md")]
    for file in articles { pages.append(Page(name: file.lastPathComponent, lines: try lines(file))) }
    for file in try files(in: "Sources", suffix: ".swift") {
      let comments = try lines(file).map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("///") }
      pages.append(
        Page(name: file.lastPathComponent, lines: comments.map { String($0.dropFirst($0.hasPrefix("/// ") ? 4 : 3)) }))
    }
    return pages
  }

  /// The lines of README.md, the articles and all sources, help texts included.
  static func allLines() throws -> [String] {
    try
      (files(in: "Sources", suffix: ".md") + files(in: "Sources", suffix: ".swift")
      + [root.appendingPathComponent("README.md")]).flatMap(lines)
  }

  /// Swift in a page: what it imports, and the lines after that.
  struct Snippet {
    /// The modules, in the order of the lines.
    let imports: [String]
    let body: [String]

    init(_ block: [String]) {
      let head = block.prefix { $0.hasPrefix("import ") }
      imports = head.map { String($0.dropFirst("import ".count)) }
      body = Documentation.dedented(Array(block.dropFirst(head.count).drop { $0.isEmpty }))
    }
  }

  /// A compiled file of the target DocumentationSnippets, which sees the public API of what the file imports.
  struct Source {
    let lines: [String]

    var imports: [String] { Snippet(lines).imports }

    /// Whether the file contains these lines one after the other, at any indentation.
    func contains(_ block: [String]) -> Bool {
      guard let first = block.first, block.count <= lines.count else { return false }
      return lines.indices.dropLast(block.count - 1).contains { start in
        lines[start].hasSuffix(first) && Documentation.dedented(Array(lines[start..<start + block.count])) == block
      }
    }
  }

  static func sources() throws -> [Source] {
    try files(in: "Tests/Programs/DocumentationSnippets", suffix: ".swift").map { Source(lines: try lines($0)) }
  }

  /// The examples: the name of the program, and its lines.
  static func programs() throws -> [(name: String, lines: [String])] {
    try files(in: "Sources/Examples", suffix: ".swift").map {
      ($0.deletingLastPathComponent().lastPathComponent, try lines($0))
    }
  }

  static func manifest() throws -> String {
    try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
  }

  static func dedented(_ block: [String]) -> [String] {
    let indentation = block.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return block.map { String($0.dropFirst(indentation)) }
  }

  private static func files(in folder: String, suffix: String) throws -> [URL] {
    let folder = root.appendingPathComponent(folder)
    return try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(suffix) }.sorted()
      .map { folder.appendingPathComponent($0) }
  }

  private static func lines(_ file: URL) throws -> [String] {
    String(decoding: try Data(contentsOf: file), as: UTF8.self).components(separatedBy: "\n")
  }
}
