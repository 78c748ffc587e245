import Foundation
import Tessera
import TesseraCore
import TestSupport
import Testing

extension RealPrograms {
  /// Editors on other systems begin a file with a byte order mark, which nobody sees.
  @Suite("Files that people write")
  struct HandwrittenFileTests {
    private static let mark = "\u{FEFF}"

    @Test("the parameters of a request", arguments: ["", mark])
    func parameters(_ mark: String) async throws {
      let home = try TemporaryFolder()
      func call(_ arguments: [String], _ input: String? = nil) async throws -> ProgramRun {
        try await ProgramRun.tessera(
          ["call"] + arguments + ["--in-process", "--virtual"], input: input,
          environment: ["HOME": home.url.path, "XDG_DATA_HOME": home.file("data"), "XDG_RUNTIME_DIR": home.file("run")])
      }
      for run in [
        try await call(["nfc.isSupported", "-"], mark + "{}\r\n"), try await call(["nfc.isSupported", mark + "{}"]),
      ] {
        #expect(run.status == 0 && run.output == "true\n" && run.errors.isEmpty, "\(run)")
      }
      let twice = try await call(["nfc.isSupported", "-"], mark + Self.mark + Self.mark + "{}")
      #expect(twice.status == 2)
    }

    @Test("the documents of flows of both kinds, with the places that an editor shows")
    func flows() async throws {
      let home = try TemporaryFolder()
      for text in [
        #"{"version":1, "screens":[{"id":"a", "root":{}}]}"#, #"{"onboardingId":"a", "screens":[{"id":1}]}"#, #"{"a":"#,
      ] {
        let file = home.file("flow.json")
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let without = try await ProgramRun.tessera(["flow", "check", file])
        try (Self.mark + text).write(toFile: file, atomically: true, encoding: .utf8)
        let with = try await ProgramRun.tessera(["flow", "check", file])
        #expect(with.output == without.output && with.status == without.status, "\(with) \(without)")
        #expect(!with.output.isEmpty)
        let piped = try await ProgramRun.tessera(["flow", "check", "-"], input: Self.mark + text)
        #expect(piped.output == without.output.replacing(file, with: "-") && piped.status == without.status)
      }
    }

    @Test("the grants of pages, also after the program has changed them")
    func grants() async throws {
      let home = try TemporaryFolder()
      let folder = home.file("config/tessera")
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      chmod(home.file("config"), 0o700)
      let file = "\(folder)/grants"
      try Data((Self.mark + "https://a.example = nfc\r\n").utf8).write(to: URL(fileURLWithPath: file))
      chmod(file, 0o600)
      func grants(_ arguments: [String]) async throws -> ProgramRun {
        try await ProgramRun.tessera(
          ["grants"] + arguments, environment: ["HOME": home.url.path, "XDG_CONFIG_HOME": home.file("config")])
      }
      #expect(try await grants([]).output == "https://a.example = nfc\n")
      #expect(try await grants(["add", "https://b.example=crypto"]).status == 0)
      #expect(try await grants([]).output == "https://a.example = nfc\nhttps://b.example = crypto\n")
      #expect(try await grants(["withdraw", "https://a.example"]).status == 0)
      #expect(try await grants([]).output == "https://b.example = crypto\n")
    }

    @Test("a mark that is left is named")
    func named() {
      let error = #expect(throws: JSONError.self) { try JSONValue(text: Self.mark + "{}") }
      #expect(error?.reason == .syntax && error?.offset == 0)
      #expect(error?.failure.cause == "The text begins with a byte order mark, which JSON does not have (at byte 0).")
    }
  }
}

/// Characters of JSON that is printed.
@Suite("JSON on a terminal")
struct PrintedJSONTests {
  /// What a terminal obeys, what turns the writing direction, and what nobody sees.
  private static let hostile: [ClosedRange<UInt32>] = [
    0x7F...0x9F, 0xAD...0xAD, 0x61C...0x61C, 0x180E...0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
    0xFEFF...0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F,
  ]

  @Test("every control and format character of strings and names is an escape, and comes back")
  func escapes() throws {
    let scalars = (Self.hostile.flatMap(Array.init) + Array(0..<0x20)).compactMap(Unicode.Scalar.init)
    #expect(scalars.count == 228)
    for scalar in scalars {
      let value: JSONValue = .object(["a\(scalar)b": .string("\(scalar)é漢😀")])
      let text = value.text
      #expect(!text.unicodeScalars.contains(scalar), "\(scalar.value)")
      #expect(text.contains("é漢😀"))
      #expect(try JSONValue(text: text) == value, "\(scalar.value)")
    }
  }

  @Test("other characters stay as they are")
  func letters() {
    for text in ["a", "é", "ß", "مرحبا", "漢字", "😀", "\u{A0}", "\u{2014}", "\u{2070}"] {
      #expect(JSONValue.string(text).text == "\"\(text)\"")
    }
  }
}
