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
      let shell = try KeyShell(["PCSCLITE_CSOCK_NAME": "/proc/nonexistent/pcscd.comm", "TERM": "xterm"])
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
        ("no such date", "\n\u{15}900214"), ("900214  ok", "\n"), ("Date of expiry", "350630"),
        ("350630  ok", "\n"),
      ])
      #expect(output.contains("status 3"), "\(output)")
    }

    @Test("a date is one of the calendar, in each form of the options, or has unknown parts")
    func dates() async throws {
      for date in ["14.02.1990", "1990-02-14", "14/02/1990", "14/2/90", "920229", "9002<<", "<<<<<<", "900200"] {
        let output = try await Self.typed([
          ("First line, or document number", "TS0264718\n"), ("Date of birth", date), ("\(date)  ok", "\n"),
          ("Date of expiry", "999999\n"),
        ])
        #expect(output.contains("status 3"), "\(date): \(output)")
      }
      for date in ["900230", "910229", "30.02.1990", "1990-04-31", "901314"] {
        let output = try await Self.typed([
          ("First line, or document number", "TS0264718\n"), ("Date of birth", date + "\n"),
          ("Date of birth: no such date. Type it as YYMMDD, YYYY-MM-DD, DD.MM.YYYY or", "\u{15}900214\n"),
          ("Date of expiry", "350630\n"),
        ])
        #expect(output.contains("status 3"), "\(date): \(output)")
      }
    }

    @Test("each form of a date is named before the first key, and after a refusal, within 80 columns")
    func forms() async throws {
      let shell = try KeyShell(["TERM": "xterm"])
      let output = try await shell.runOnTerminal(
        "stty cols 80; $T passport read --virtual --prompt",
        answers: [
          ("First line, or document number", "264718\n"), ("empty: 264718 is the card access number", "901314\n"),
          ("DD/MM/YYYY.", "\u{15}900214\n"),
          ("Date of expiry (YYMMDD, YYYY-MM-DD, DD.MM.YYYY or DD/MM/YYYY):", "35063\n"),
          ("Date of expiry: not complete.", "0\n"),
        ]
      ).output
      #expect(output.contains("Date of birth (YYMMDD, YYYY-MM-DD, DD.MM.YYYY or DD/MM/YYYY;"), "\(output)")
      #expect(output.components(separatedBy: "DD/MM/YYYY.").count == 3, "\(output)")
      for row in output.components(separatedBy: "\r\n") where row.contains("Date of") || row.contains("YYYY") {
        let shown = row.components(separatedBy: "\u{1B}[K").last ?? row
        #expect(shown.count <= 80, "\(row)")
      }
    }

    @Test("six digits are a card access number if no date of birth follows")
    func cardAccess() async throws {
      let shell = try KeyShell(["TERM": "xterm"])
      let read = try await shell.runOnTerminal(
        "$T passport read --virtual germany-2023 --prompt; echo status $?",
        answers: [
          ("Its card access number is 264718.", "264718\n"), ("empty: 264718 is the card access number", "\n"),
        ])
      #expect(read.output.contains("status 0") && read.output.contains("TESSA MARIA"), "\(read.output)")
      let wrong = try await shell.runOnTerminal(
        "$T passport read --virtual germany-2023 --prompt; echo status $?",
        answers: [("First line", "264719\n"), ("empty: 264719", "\n")])
      #expect(wrong.output.contains("status 4"), "\(wrong.output)")
      #expect(wrong.output.contains("The chip refused the card access number (PACE"), "\(wrong.output)")
      #expect(!wrong.output.contains("or card access number (PACE"), "\(wrong.output)")
      // The number of a document that happens to have six digits.
      let number = try await Self.typed([
        ("First line, or document number", "264718\n"), ("Date of birth", "900214\n"), ("Date of expiry", "350630\n"),
      ])
      #expect(number.contains("status 3"), "\(number)")
    }

    @Test("a key that cannot be one is refused before the chip has it")
    func refusedOption() async throws {
      let shell = try KeyShell()
      let malformed =
        "The card access number is malformed. Write its 4 to 16 digits, usually six, as printed on the document."
      for (options, message) in [
        ("--can 264", malformed), ("--can 26471826471826471", malformed), ("--can 26471O", malformed),
        (
          "--document-number TS0264718 --date-of-birth 900230 --date-of-expiry 350630",
          "The calendar has no such date of birth. Compare it with the document; if it is printed so, use --mrz."
        ),
      ] {
        let run = try await shell.run("$T passport read --virtual germany-2023 \(options) --trace trace; ls")
        #expect(run.errors == "tessera: \(message)\n" && run.output.isEmpty, "\(run.output)\(run.errors)")
      }
      // Documents of other kinds have numbers of other lengths, so the chip decides.
      for digits in ["26471", "2647189"] {
        let run = try await shell.run("$T passport read --virtual germany-2023 --can \(digits)")
        #expect(run.status == 4 && run.errors.contains("refused the card access number (PACE"), "\(run.errors)")
        #expect(run.errors.contains("Such a number usually has six digits."), "\(run.errors)")
      }
      let spaced = try await shell.run("$T passport read --virtual germany-2023 --can '264 718' > /dev/null")
      #expect(spaced.status == 0, "\(spaced.errors)")
      // Of a document whose chip has the date that is printed, however wrong.
      let zone = try await shell.run("$T passport read --virtual --mrz L898902C3674023041204159")
      #expect(zone.status == 4 && zone.errors.contains("derived from this MRZ (BAC"), "\(zone.errors)")
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
        "trap : INT; $T passport read --virtual --prompt; echo status $?; stty -a",
        answers: [("First line", "TS\u{3}")])
      #expect(interrupted.output.contains("status 130"), "\(interrupted.output)")
      #expect(interrupted.output.contains(" icanon ") && !interrupted.output.contains("-icanon"))
    }

    @Test("without a reader there are no questions, unless the user has time to connect one")
    func noReader() async throws {
      let shell = try KeyShell([
        "PCSCLITE_CSOCK_NAME": "/proc/nonexistent/pcscd.comm", "LIBNFC_AUTO_SCAN": "false", "TERM": "xterm",
      ])
      for option in ["", "--wait 0", "--prompt", "--reader x"] {
        let output = try await shell.runOnTerminal("$T passport read \(option); echo status $?", answers: []).output
        #expect(output.contains("status 3") && output.contains("pcscd"), "\(output)")
        #expect(!output.contains("First line"), "\(output)")
      }
      let waiting = try await Self.typed([("First line", "\n")])
      #expect(waiting.contains("First line") && waiting.contains("That reader was not found yet."), "\(waiting)")
      let any = try await shell.runOnTerminal("$T passport read --wait 1", answers: [("First line", "\n")]).output
      #expect(any.contains("First line") && any.contains("No reader was found yet."), "\(any)")
    }

    @Test("--virtual --prompt lets a user try the prompts")
    func virtual() async throws {
      let shell = try KeyShell(["TERM": "xterm"])
      let zone = [Self.first, Self.second].joined(separator: "\n") + "\n"
      let read = try await shell.runOnTerminal(
        "$T passport read --virtual --prompt; echo status $?", answers: [("the document number TS0264718", zone)])
      #expect(read.output.contains("status 0") && read.output.contains("TESSA MARIA"), "\(read.output)")
      let wrong = try await shell.runOnTerminal(
        "$T passport read --virtual --prompt; echo status $?",
        answers: [("First line", "TS0264719\n"), ("Date of birth", "900214\n"), ("Date of expiry", "350630\n")])
      #expect(wrong.output.contains("status 4"), "\(wrong.output)")
      let without = try await shell.run("$T passport read --virtual --prompt; echo status $?")
      #expect(without.output == "status 2\n" && without.errors.contains("There is no terminal to prompt on."))
      let both = try await shell.run("$T passport read --virtual --prompt --can 123456; echo status $?")
      #expect(both.output == "status 2\n" && both.errors.contains("--prompt excludes"), "\(both.errors)")
    }

    @Test("an Enter that is refused says which field it is and what is expected, once for each reason")
    func refusedEnter() async throws {
      let output = try await Self.typed([
        ("First line, or document number", "TS0264718\n"), ("Date of birth", "9002\n\n"),
        ("Date of birth: not complete. Type it as YYMMDD", "\u{15}901314\n"),
        ("Date of birth: no such date. Type it as YYMMDD", "\u{15}900214\n"),
        ("Date of expiry", "350630\n"),
      ])
      #expect(output.contains("status 3"), "\(output)")
      #expect(output.components(separatedBy: "Date of birth: not complete").count == 2, "\(output)")
      let zone = try await Self.typed([
        ("First line, or document number", Self.first + "\n"), ("Second line", "TS02647183UTO\n"),
        ("Second line: not complete (13 of 44, document number ok). Compare it with the document", "\u{15}"),
        ("Second line", Self.second.dropLast() + "1\n"),
        ("Second line: wrong check digit: composite. Compare it with the document", "\u{7F}0\n"),
      ])
      #expect(zone.contains("status 3"), "\(zone)")
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
