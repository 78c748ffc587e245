import Foundation
import TestSupport
import Testing

/// Two origins on loopback with the pages of `Site/`, by `Site/site.py`, which prints what the pages report.
final class PageSite: Sendable {
  let ports: [String]
  private let server: RunningProgram
  private let input: Pipe

  init() async throws {
    input = Pipe()
    let script = Fixtures.tests.appendingPathComponent("Desktop/WindowTests/Site/site.py").path
    server = try RunningProgram(URL(fileURLWithPath: "/usr/bin/python3"), [script], standardInput: input)
    _ = await server.wait { $0.output.contains("\n") || !$0.isRunning }
    let words = server.output.split(separator: "\n").first?.split(separator: " ").dropFirst() ?? []
    ports = words.map(String.init)
    try #require(ports.count == 2, "\(server.errors)")
  }

  deinit { try? input.fileHandleForWriting.close() }

  /// The names of the pages and frames whose scripts ran.
  var ran: Set<String> { Set(reports("ran").map { String($0) }) }

  /// The texts of the lines that begin with this word.
  func reports(_ word: String) -> [String] {
    server.output.split(separator: "\n").filter { $0.hasPrefix("\(word) ") }.map {
      String($0.dropFirst(word.count + 1))
    }
  }

  /// Returns when everything that the pages have reported up to now is known.
  ///
  /// The output is read by another thread: what was printed before a mark has been read when the mark has been read.
  func settle() async throws {
    let mark = UUID().uuidString
    try input.fileHandleForWriting.write(contentsOf: Data("\(mark)\n".utf8))
    try #require(await wait { $0.reports("mark").contains(mark) }, "the site does not print the mark")
  }

  func wait(within seconds: Double = 180, until condition: (PageSite) -> Bool) async -> Bool {
    await server.wait(within: seconds) { _ in condition(self) }
  }
}
