import Foundation
import TestSupport
import Testing

@testable import TesseraManual

@Suite("The environment in the manual")
struct EnvironmentTests {
  /// What is read, or looks so, and stands in no page.
  private static let exceptions: [(reason: String, names: Set<String>)] = [
    ("the login or sudo sets it", ["HOME", "SUDO_USER"]),
    ("the desktop sets it", ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CURRENT_DESKTOP"]),
    ("the terminal sets it", ["COLORTERM", "KITTY_WINDOW_ID", "STY", "TERM", "TERM_PROGRAM", "TMUX"]),
    ("systemd sets it", ["INVOCATION_ID"]),
    ("a Snap sets it", ["SNAP_NAME", "SNAP_REVISION"]),
    ("GTK documents it", ["GDK_BACKEND", "GTK_THEME"]),
    ("it is an error code of the bridge", ["INTERNAL_ERROR"]),
  ]

  @Test("has every variable that a program reads, or this test says why not")
  func complete() throws {
    let read = try Self.names()
    var documented: Set<String> = []
    for entry in ManualEntry.environment {
      documented.insert(entry.name)
      // The words between backticks.
      let parts = entry.text.split(separator: "`", omittingEmptySubsequences: false)
      for (index, part) in parts.enumerated() where index % 2 == 1 { documented.insert(String(part)) }
    }
    let exceptions = Self.exceptions.reduce(into: Set<String>()) { $0.formUnion($1.names) }
    for name in read.subtracting(exceptions).sorted() {
      #expect(documented.contains(name) || documented.contains("TESSERA_PASSAGE_\(name)"), "\(name)")
    }
    for name in exceptions.sorted() { #expect(read.contains(name) && !documented.contains(name), "\(name)") }
  }

  /// The names in source texts that deal with the environment.
  private static func names() throws -> Set<String> {
    let folder = Fixtures.tests.deletingLastPathComponent().appendingPathComponent("Sources")
    var names: Set<String> = []
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      guard [".swift", ".c", ".h"].contains(where: { path.hasSuffix($0) }), !path.hasPrefix("Programs/TesseraManual/"),
        // These say what the processes of a sandbox have.
        !path.hasSuffix("/Sandbox.swift"), !path.hasSuffix("/SandboxVariables.swift")
      else { continue }
      let text = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
      guard text.contains("environment") || text.contains("getenv") else { continue }
      names.formUnion(text.matches(of: #/(?:environment\[|getenv\()"([A-Z][A-Z0-9_]*)"/#).map { String($0.output.1) })
      // Lists and constants of names.
      let constants = text.matches(of: #/"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Za-z]+_(?:proxy|PROXY))"/#)
      names.formUnion(constants.map { String($0.output.1) })
    }
    return names
  }
}
