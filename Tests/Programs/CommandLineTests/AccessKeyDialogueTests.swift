import Foundation
import Tessera
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Prompt for the access key")
  struct AccessKeyDialogueTests {
    private static let first = "P<UTOSPECIMEN<<TESSA<MARIA<<<<<<<<<<<<<<<<<<"
    private static let second = "TS02647183UTO9002144F3506307<<<<<<<<<<<<<<<0"

    /// A socket path without a daemon, so that the command reports immediately that no reader exists.
    private static func typed(_ answers: [(String, String)], _ arguments: String = "") async throws -> String {
      let shell = try KeyShell(["PCSCLITE_CSOCK_NAME": "/nonexistent/pcscd.comm", "TERM": "xterm"])
      return try await shell.runOnTerminal(
        "stty cols 100; $T passport read --reader x --wait 1 \(arguments); echo status $?; stty -a", answers: answers
      ).output
    }

    @Test("zone: validates check digits during typing, and a wrong line can be corrected")
    func zone() async throws {
      let output = try await Self.typed([
        ("First line, or document number", Self.first.lowercased() + "\n"),
        ("Second line", "TS02647184"), ("wrong check digit: document number", "\n\u{7F}3"),
        ("document number ok", "UTO9002144"), ("date of birth ok", "F3506308"),
        ("wrong check digit: date of expiry", "\u{1B}[D\u{7F}7<<<<<<<<<<<<<<<1"),
        ("wrong check digit: composite", "\n\u{7F}0"), ("  ok", "\n"),
      ])
      #expect(output.contains("status 3") && output.contains("pcscd"), "\(output)")
      #expect(output.contains(" icanon ") && output.contains(" echo "), "the terminal's settings are restored")
    }

    @Test("three fields: reports an invalid date immediately")
    func fields() async throws {
      let output = try await Self.typed([
        ("First line, or document number", "TS0264718"), ("  ok", "\n"), ("Date of birth", "901314"),
        ("invalid date of birth", "\n\u{15}900214"), ("900214  ok", "\n"), ("Date of expiry", "350630"),
        ("350630  ok", "\n"),
      ])
      #expect(output.contains("status 3"), "\(output)")
    }

    @Test("accepts pasted lines, three-line zones and bare MRZ information")
    func pasted() async throws {
      let card = [
        "I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<",
      ]
      for text in [[Self.first, Self.second], card, ["L898902C3674081221204159"]] {
        let output = try await Self.typed([("First line, or document number", text.joined(separator: "\n") + "\n")])
        #expect(output.contains("status 3"), "\(output)")
      }
    }

    @Test(
      "an empty line continues without a key; the end of the input, Ctrl-C and a key option end the prompt")
    func without() async throws {
      #expect(try await Self.typed([("First line", "\n")]).contains("status 3"))
      let ended = try await Self.typed([("First line", "\u{4}")])
      #expect(ended.contains("status 2") && ended.contains("Use --mrz"), "\(ended)")
      let given = try await Self.typed([], "--can 123456")
      #expect(given.contains("status 3") && !given.contains("First line"))
      let shell = try KeyShell(["TERM": "xterm"])
      let interrupted = try await shell.runOnTerminal(
        "trap : INT; $T passport read; echo status $?; stty -a", answers: [("First line", "TS\u{3}")])
      #expect(interrupted.output.contains("status 130"), "\(interrupted.output)")
      #expect(interrupted.output.contains(" icanon ") && !interrupted.output.contains("-icanon"))
    }

    @Test(
      "the typed key gives access to the chip; without a terminal the error names the options",
      .enabled(if: SmartCardLab.isEnabled, "\(SmartCardLab.unavailableReason ?? "")"))
    func readAsRoot() async throws {
      let lab = try await SmartCardLab()
      let chip = try await lab.insertChip()
      let shell = try KeyShell(lab.environment.merging(["TERM": "xterm"]) { $1 })
      let run = try await shell.runOnTerminal(
        "$T passport read; echo status $?", answers: [("First line", "\(Self.first)\n\(Self.second)\n")])
      #expect(run.output.contains("status 0") && run.output.contains("TESSA MARIA"), "\(run.output)")
      let refused = try await lab.tessera(["passport", "read"])
      #expect(refused.status == 2 && refused.errors.contains("--document-number"), "\(refused.errors)")
      try await lab.remove(chip)
    }
  }
}
