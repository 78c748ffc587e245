import Foundation
import Tessera
import TestSupport
import Testing

extension RealPrograms {
  /// `passport read` after a scan that leaves the key of the chip open.
  @Suite("A scan in doubt as the key of a chip")
  struct ScannedKeyTests {
    /// The specimen's zone with another document number.
    private static func zone(_ number: String, name: String = "SPECIMEN") throws -> MachineReadableZone {
      var content = SpecimenDocument.content
      content.documentNumber = number
      content.primaryIdentifier = name
      return try MachineReadableZone(content, format: .td3)
    }

    /// The output of `tessera mrz scan --json` with these zones, each less probable than the one before.
    private static func scan(_ zones: [MachineReadableZone]) -> JSONValue {
      let candidates = zones.enumerated().map { index, zone in
        [
          "format": "TD3", "mrz": .string(zone.text),
          "weight": JSONNumber(1 / Double(index + 2)).map(JSONValue.number) ?? 0,
        ]
          as JSONValue
      }
      return [
        "error": ["code": "noZone", "message": "page.png leaves a doubt: document number.", "details": [:]],
        "candidates": .array(candidates),
      ]
    }

    private static func scan(_ numbers: [String]) throws -> JSONValue { scan(try numbers.map { try zone($0) }) }

    /// Reads the virtual chip with a scan from standard input. There is no terminal.
    private static func read(_ input: String, _ arguments: String = "--virtual") async throws -> ProgramRun {
      let shell = try KeyShell()
      try Data(input.utf8).write(to: URL(fileURLWithPath: shell.folder.file("scan")))
      return try await shell.run("$T passport read --mrz - \(arguments) < scan")
    }

    @Test("the second candidate opens the chip; each try is told, and the result")
    func second() async throws {
      let run = try await Self.read(try Self.scan(["T80264718", "TS0264718"]).text, "--virtual --json")
      #expect(run.status == 0)
      #expect(try JSONValue(text: run.output)["document"]?["documentNumber"] == "TS0264718")
      #expect(run.errors.contains("The chip refused document number T80264718. Trying document number TS0264718;"))
      #expect(run.errors.contains("The chip opened with document number TS0264718, one of 2 readings"))
      #expect(run.errors.contains("DG1") && !run.errors.contains("Not tried"))
    }

    @Test("the order is that of the weights, and zones of the same key count once")
    func order() async throws {
      let zones = [
        try Self.zone("T80264718"), try Self.zone("TS0264718"), try Self.zone("TS0264718", name: "SPEC1MEN"),
      ]
      guard case .array(let candidates) = Self.scan(zones)["candidates"] else { return }
      let reversed: JSONValue = ["candidates": .array(candidates.reversed())]
      let run = try await Self.read(reversed.text)
      #expect(run.status == 0 && run.errors.contains("Trying document number TS0264718"), "\(run.errors)")
      #expect(run.errors.contains("one of 2 readings"))
      let one = try await Self.read(Self.scan(Array(zones.dropFirst())).text)
      #expect(one.status == 0 && one.errors.isEmpty, "\(one.errors)")
    }

    @Test("without the right one, four are tried, the others named, and the error is that of the chip")
    func none() async throws {
      let numbers = (0..<6).map { "TS026471\($0)" }
      let run = try await Self.read(try Self.scan(numbers).text)
      #expect(run.status == 4 && run.output.isEmpty)
      #expect(run.errors.components(separatedBy: "Trying").count == 4, "\(run.errors)")
      #expect(run.errors.contains("Not tried: document number TS0264714 or TS0264715."))
      #expect(run.errors.contains("(BAC, status 6300)") && !run.errors.contains("opened"))
    }

    @Test("a chip without access control gets the reading that its DG1 has")
    func open() async throws {
      let run = try await Self.read(try Self.scan(["T80264718", "TS0264718"]).text, "--virtual open")
      #expect(run.status == 0, "\(run.output)")
      #expect(run.errors.contains("The chip's zone is that with document number TS0264718"))
    }

    // MARK: - PACE

    @Test("with PACE and no terminal, only the most probable one is tried, and the others are named")
    func withoutTerminal() async throws {
      let numbers = ["T80264718", "TS0264718", "TS0264710"]
      for profile in ["austria-2023", "fault-wrong-password-63c2"] {
        let run = try await Self.read(try Self.scan(numbers).text, "--virtual \(profile)")
        #expect(run.status == 4 && run.errors.contains("PACE, status 63"))
        #expect(run.errors.contains("Not tried: document number TS0264718 or TS0264710."), "\(run.errors)")
        #expect(!run.errors.contains("Trying"))
      }
      let counted = try await Self.read(try Self.scan(numbers).text, "--virtual fault-wrong-key-63cf")
      #expect(counted.status == 4 && counted.errors.contains("Not tried"), "\(counted.errors)")
      let first = try await Self.read(try Self.scan(numbers.reversed()).text, "--virtual austria-2023")
      #expect(first.status == 4)
      let right = try await Self.read(try Self.scan(["TS0264718", "T80264718"]).text, "--virtual austria-2023")
      #expect(right.status == 0 && right.errors.contains("opened with document number TS0264718"))
    }

    @Test("with PACE on a terminal, the command asks before each further try")
    func asks() async throws {
      let shell = try KeyShell(["TERM": "xterm"])
      let scan = try Self.scan(["T80264718", "TS0264710", "TS0264718"])
      try Data(scan.text.utf8).write(to: URL(fileURLWithPath: shell.folder.file("scan")))
      let command = "$T passport read --virtual austria-2023 --mrz - < scan; echo status $?"
      let opened = try await shell.runOnTerminal(
        command, answers: [("Try document number TS0264710?", "n\n"), ("Try document number TS0264718?", "y\n")])
      #expect(opened.output.contains("status 0") && opened.output.contains("opened with"), "\(opened.output)")
      #expect(opened.output.contains("may count wrong keys"))
      let refused = try await shell.runOnTerminal(
        command, answers: [("Try document number TS0264710?", "y\n"), ("Try document number TS0264718?", "\n")])
      #expect(refused.output.contains("status 4"), "\(refused.output)")
      // BAC asks nothing.
      let told = try await shell.runOnTerminal(
        command.replacing(" austria-2023", with: ""), answers: [])
      #expect(told.output.contains("status 0") && !told.output.contains("[y/N]"), "\(told.output)")
    }

    // MARK: - Forms of the input

    @Test("one object a line, an array, an indented object and one with a byte order mark are read alike")
    func forms() async throws {
      let scan = try Self.scan(["T80264718", "TS0264718"]).text
      let failed = #"{"error":{"code":"noZone","message":"x.png shows no machine readable zone.","details":{}}}"#
      let zone: JSONValue = ["format": "TD3", "mrz": .string(try Self.zone("TS0264718").text)]
      for input in [
        "\(failed)\n\(scan)\n", "[\(scan)]", scan.replacing(",", with: ",\n  "), "\u{FEFF}\n \(scan)", zone.text,
      ] {
        let run = try await Self.read(input)
        #expect(run.status == 0, "\(input): \(run.errors)")
      }
    }

    @Test("a scan without a zone, broken JSON, an empty input and a card without a chip are told as what they are")
    func unusable() async throws {
      let failed = #"{"error":{"code":"noZone","message":"x.png shows no machine readable zone.","details":{}}}"#
      let french = #"{"format":"FRENCH-ID","mrz":"IDFRA\#(String(repeating: "<", count: 31))"}"#
      for (input, status, words) in [
        (failed, Int32(3), "The scan read no machine readable zone."), ("{}", 3, "The scan read no"),
        (#"{"candidates":[]}"#, 3, "The scan read no"), (#"{"mrz":7}"#, 2, "no document format has"),
        (#"{"mrz":"P<UTO"#, 2, "JSON"), ("", 2, "empty"), (" \n", 2, "empty"), (french, 2, "has no chip"),
      ] {
        let run = try await Self.read(input)
        #expect(run.status == status && run.errors.contains(words), "\(input): \(run.errors)")
        #expect(!run.errors.contains("UTO<"))
      }
    }
  }
}
