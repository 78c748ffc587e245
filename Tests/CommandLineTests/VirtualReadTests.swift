import Foundation
import Tessera
import TestSupport
import Testing

/// Parses the JSON output of the program.
func json(_ text: String) throws -> JSONValue { try JSONValue(text: text) }

extension RealPrograms {
  @Suite("tessera with the built-in virtual chip")
  struct VirtualReadTests {
    @Test("the demo shows the document, the checks and that the test country issued it")
    func demo() async throws {
      let run = try await ProgramRun.tessera(["demo"])
      #expect(run.status == 0 && run.errors.isEmpty)
      #expect(run.output.split(separator: "\n").first == "Genuine, by the test country of Tessera.")
      for text in ["SPECIMEN", "TESSA MARIA", "P<UTOSPECIMEN<<TESSA<MARIA<<", "passive.signature", "document.expiry"] {
        #expect(run.output.contains(text))
      }
      #expect(!run.output.contains("\u{1B}"), "no colours without a terminal")
    }

    @Test("a colour terminal shows the portrait, unless NO_COLOR is set", arguments: [true, false])
    func portrait(_ isColoured: Bool) async throws {
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/script"), ["-qec", "\(ProgramRun.tessera.path) demo", "/dev/null"],
        environment: ["TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": isColoured ? "" : "1"]
      ).finish()
      #expect(run.status == 0)
      // Eighteen lines of half blocks in true colour.
      let lines = run.output.split(whereSeparator: \.isNewline).filter {
        $0.contains("\u{2580}") && $0.contains("38;2;")
      }
      #expect(lines.count == (isColoured ? 18 : 0))
    }

    @Test("--version is one line")
    func version() async throws {
      let run = try await ProgramRun.tessera(["--version"])
      #expect(run.status == 0 && run.errors.isEmpty)
      #expect(run.output == "tessera \(TesseraVersion.current)\n")
      #expect(run.output.wholeMatch(of: /tessera [0-9]+\.[0-9]+\.[0-9]+\n/) != nil)
    }

    @Test(
      "--virtual uses its profile with any following argument",
      arguments: [
        ["--virtual=all"], ["--virtual", "all"], ["--virtual"], ["--virtual=nosuch"],
      ])
    func virtualOption(_ option: [String]) async throws {
      let profile = option.count == 2 ? option[1] : option[0].split(separator: "=").dropFirst().first.map(String.init)
      let isWrong = profile == "nosuch"
      for rest in [["--json"], ["--groups", "1", "--json"], ["--skip-chip-authentication", "--json"]] {
        for arguments in [option + rest, rest + option] {
          let run = try await ProgramRun.tessera(["passport", "read"] + arguments)
          #expect(run.status == (isWrong ? 2 : 0), "\(arguments): \(run.errors)")
          guard !isWrong else { continue }
          let expected: JSONValue = profile == nil ? "BAC" : "PACE"
          #expect(try json(run.output)["accessControl"]?["protocol"] == expected, "\(arguments)")
        }
      }
      guard isWrong else { return }
      for command in [
        ["service", "install"] + option + ["--metrics"], ["call"] + option + ["--in-process", "nfc.isSupported"],
      ] {
        #expect(try await ProgramRun.tessera(command).status == 2, "\(command)")
      }
    }

    @Test("--json has every key of the contract")
    func keys() async throws {
      let run = try await ProgramRun.tessera(["passport", "read", "--virtual", "--json"])
      #expect(run.status == 0)
      let report = try json(run.output)
      let expected: [String: [String]] = [
        "document": [
          "format", "mrz", "type", "issuingState", "documentNumber", "primaryIdentifier", "secondaryIdentifier",
          "nationality", "dateOfBirth", "sex", "dateOfExpiry", "optionalData",
        ],
        "accessControl": ["protocol", "oid", "mapping", "cipher", "parameterId"],
        "transport": ["reader", "exchanges", "bytesSent", "bytesReceived", "milliseconds"],
      ]
      for (object, keys) in expected {
        for key in keys { #expect(report[object]?[key] != nil, "\(object).\(key)") }
      }
      guard case .array(let checks)? = report["checks"], case .array(let files)? = report["files"] else {
        Issue.record("checks or files are missing")
        return
      }
      #expect(
        checks.compactMap { $0["id"]?.stringValue } == [
          "mrz.checkDigits", "mrz.matchesKey", "passive.hashes", "passive.signature", "passive.chain",
          "passive.revocation", "passive.validity", "chip.authentication", "active.authentication",
          "pace.chipAuthentication", "terminal.authentication", "document.expiry",
        ])
      for check in checks {
        #expect(["passed", "failed", "skipped", "unsupported"].contains(check["status"]?.stringValue ?? ""))
        #expect(check["detail"]?.stringValue?.isEmpty == false)
      }
      for file in files {
        #expect(file["name"] != nil && file["bytes"] != nil && file["sha256"]?.stringValue?.count == 64)
      }
      #expect(report["accessControl"]?["protocol"] == "BAC")
    }

    @Test("--out writes the files byte for byte, and the dump can be served again")
    func dump() async throws {
      let folder = try TemporaryFolder()
      let first = try await ProgramRun.tessera([
        "passport", "read", "--virtual", "--files", Fixtures.specimen("bsi2008").path, "--out", folder.file("dump"),
        "--json",
      ])
      #expect(first.status == 5)  // expired, and its DG15 is not covered
      for (name, source) in [
        ("EF.COM.bin", "EF_COM.bin"), ("EF.SOD.bin", "EF_SOD.bin"), ("DG1.bin", "Datagroup1.bin"),
        ("DG2.bin", "Datagroup2.bin"), ("DG14.bin", "Datagroup14.bin"), ("DG15.bin", "Datagroup15.bin"),
      ] {
        #expect(folder.bytes("dump/\(name)") == Fixtures.specimen("bsi2008", file: source), "\(name)")
      }
      #expect(try json(String(decoding: folder.bytes("dump/report.json"), as: UTF8.self)) == json(first.output))
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("dump/DG1.bin"))
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      let second = try await ProgramRun.tessera([
        "passport", "read", "--virtual", "--files", folder.file("dump"), "--json",
      ])
      #expect(try json(second.output)["files"] == json(first.output)["files"])
    }

    @Test("--portrait writes the original image")
    func portraitFile() async throws {
      let folder = try TemporaryFolder()
      let run = try await ProgramRun.tessera(["passport", "read", "--virtual", "--portrait", folder.file("p.jpg")])
      #expect(run.status == 0)
      #expect(folder.bytes("p.jpg") == SpecimenDocument.portrait)
    }

    @Test("--portrait - writes only the image to standard output")
    func portraitToOutput() async throws {
      let folder = try TemporaryFolder()
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/bin/sh"),
        ["-c", "\"$0\" passport read --virtual --portrait - > \"$1\"", ProgramRun.tessera.path, folder.file("p.jpg")]
      ).finish()
      #expect(run.status == 0)
      #expect(folder.bytes("p.jpg") == SpecimenDocument.portrait)
    }

    @Test("a trace shows commands and status words, and personal data only with --trace-plain")
    func trace() async throws {
      let folder = try TemporaryFolder()
      let arguments = ["passport", "read", "--virtual", "open", "--trace", folder.file("t")]
      _ = try await ProgramRun.tessera(arguments)
      let redacted = String(decoding: folder.bytes("t"), as: UTF8.self)
      #expect(redacted.contains("> 00A4040C [8 bytes]") && redacted.contains("< 9000"))
      #expect(!redacted.contains(Array("SPECIMEN".utf8).hexadecimal))
      _ = try await ProgramRun.tessera(arguments + ["--trace-plain"])
      #expect(String(decoding: folder.bytes("t"), as: UTF8.self).contains(Array("SPECIMEN".utf8).hexadecimal))
    }

    @Test("a bridge call prints the response's data, and its events with --events")
    func call() async throws {
      let parameters = #"{"passportNumber":"TS0264718","dateOfBirth":"900214","dateOfExpiry":"350630"}"#
      let run = try await ProgramRun.tessera(["call", "nfc.scan", parameters, "--virtual", "--events"])
      #expect(run.status == 0)
      #expect(try json(run.output)["documentNumber"] == "TS0264718")
      let events = try run.errors.split(separator: "\n").map { try json(String($0)) }
      #expect(events.first?["data"]?["step"] == "waiting_for_tag" && events.last?["data"]?["step"] == "complete")
      let swallowed = try await ProgramRun.tessera(["call", "nfc.scan", "--virtual", parameters])
      #expect(swallowed.status == 0)
      let piped = try await ProgramRun.tessera(["call", "nfc.scan", "-", "--virtual"], input: parameters)
      #expect(piped.status == 0 && piped.errors.isEmpty)
      let supported = try await ProgramRun.tessera(["call", "nfc.isSupported", "--virtual"])
      #expect(supported.output == "true\n")
    }

    @Test("lists the chip profiles")
    func profiles() async throws {
      let text = try await ProgramRun.tessera(["chip", "profiles"]).output
      let list = try json(await ProgramRun.tessera(["chip", "profiles", "--json"]).output)
      guard case .array(let entries)? = list["profiles"] else {
        Issue.record("there is no list")
        return
      }
      #expect(entries.compactMap { $0["name"]?.stringValue } == ChipProfile.all.map(\.name))
      for profile in ChipProfile.all { #expect(text.contains("\(profile.name) ")) }
      #expect(entries.first?["access"] == .array(["BAC"]) && entries.first?["extendedLength"] == false)
    }
  }
}

extension RealPrograms {
  @Suite("tessera's errors")
  struct ErrorTests {
    /// A command line, its exit status and parts of its error message.
    struct Story: CustomTestStringConvertible, Sendable {
      let arguments: [String]
      let status: Int32
      let words: [String]
      var testDescription: String { arguments.joined(separator: " ") }
    }

    static let zone = "P<UTOSPECIMEN<<TESSA<MARIA<<<<<<<<<<<<<<<<<<\nTS02647183UTO9002144F3506307<<<<<<<<<<<<<<<0"
    static let stories = [
      Story(
        arguments: ["passport", "read", "--virtual", "--mrz", zone.replacing("9002144", with: "9002145")], status: 2,
        words: ["check digit of the date of birth", "line 2"]),
      Story(
        arguments: ["passport", "read", "--virtual", "--mrz", zone.replacing("02647183", with: "02647193")], status: 2,
        words: ["check digit of the document number"]),
      Story(arguments: ["passport", "read", "--virtual", "--mrz", "ABC"], status: 2, words: ["3 characters"]),
      Story(
        arguments: [
          "passport", "read", "--virtual", "--document-number", "TS0264719", "--date-of-birth", "900214",
          "--date-of-expiry", "350630",
        ], status: 4, words: ["The chip refused the key derived from this MRZ"]),
      Story(
        arguments: [
          "passport", "read", "--virtual", "--document-number", "TS0264719", "--date-of-birth", "901314",
          "--date-of-expiry", "350630",
        ], status: 2, words: ["date of birth"]),
      Story(
        arguments: ["passport", "read", "--virtual", "--document-number", "X"], status: 2,
        words: ["must be used together"]),
      Story(arguments: ["passport", "read", "--virtual", "--can", "123456"], status: 2, words: ["needs the MRZ"]),
      Story(arguments: ["passport", "read", "--virtual", "nothing"], status: 2, words: ["tessera chip profiles"]),
      Story(arguments: ["passport", "read", "--virtual", "--groups", "17"], status: 2, words: ["--groups"]),
      Story(arguments: ["passport", "read", "--bogus"], status: 2, words: ["--bogus"]),
      Story(
        arguments: ["passport", "read", "--virtual", "--out", "/dev/null/x"], status: 2, words: ["cannot be written"]),
      Story(
        arguments: ["passport", "read", "--virtual", "--files", "/nonexistent"], status: 2, words: ["cannot be read"]),
      Story(arguments: ["chip", "run", "--vpcd", "127.0.0.1:1"], status: 3, words: ["vpcd", "apt-get install"]),
      Story(arguments: ["chip", "run", "--vpcd", "x"], status: 2, words: ["HOST:PORT"]),
      Story(arguments: ["call", "nfc"], status: 2, words: ["DOMAIN.METHOD"]),
      Story(arguments: ["call", "fax.send"], status: 2, words: ["no such domain"]),
      Story(arguments: ["call", "nfc.scan", "[]"], status: 2, words: ["JSON object"]),
      Story(arguments: ["call", "nfc.noSuchMethod"], status: 2, words: ["METHOD_NOT_FOUND"]),
      Story(arguments: ["call", "nfc.scan", "{}", "--virtual"], status: 2, words: ["MISSING_PASSPORT_NUMBER"]),
      Story(arguments: ["call", "custody.state"], status: 2, words: ["DOMAIN_NOT_FOUND"]),
      Story(arguments: ["no-such-command"], status: 2, words: ["no-such-command"]),
    ]

    @Test("exit status, cause and remedy", arguments: stories)
    func story(_ story: Story) async throws {
      let run = try await ProgramRun.tessera(story.arguments)
      #expect(run.status == story.status)
      for word in story.words { #expect(run.errors.contains(word), "\(run.errors)") }
      #expect(run.output.isEmpty)
      for secret in ["TS02647", "900214", "901314", "350630"] { #expect(!run.errors.contains(secret)) }
    }

    @Test("--json also prints the error to standard output")
    func errorsAsJSON() async throws {
      let run = try await ProgramRun.tessera(["passport", "read", "--virtual", "--json", "--mrz", "ABC"])
      #expect(run.status == 2)
      let error = try #require(try json(run.output)["error"])
      #expect(error["code"] == "malformedMRZ" && error["message"]?.stringValue?.isEmpty == false)
      if case .object? = error["details"] {} else { Issue.record("details is no object") }
    }

    @Test(
      "reports that pcscd is not running, with the remedy",
      arguments: [["readers"], ["passport", "read", "--mrz", zone]])
    func noService(_ arguments: [String]) async throws {
      let run = try await ProgramRun.tessera(arguments, environment: ["PCSCLITE_CSOCK_NAME": "/nonexistent/pcscd.comm"])
      #expect(run.status == 3)
      #expect(run.errors.contains("pcscd") && run.errors.contains("apt-get install"))
    }

    @Test(
      "help has an example that fits on the line",
      arguments: [
        [], ["demo"], ["readers"], ["passport"], ["passport", "read"], ["passport", "verify"], ["chip"],
        ["chip", "run"],
        ["chip", "profiles"],
        ["call"],
      ])
    func help(_ command: [String]) async throws {
      let run = try await ProgramRun.tessera(command + ["--help"])
      #expect(run.status == 0 && run.errors.isEmpty)
      let overview = run.output.components(separatedBy: "USAGE:").first ?? ""
      #expect(overview.contains("  tessera " + command.joined(separator: " ")))
    }

    @Test(
      "does not print personal data of an invalid command line",
      arguments: [
        ["passport", "read", "--mrz", "P<UTOSECRETNAME", "L898902C36UTO7408122F1204159"],
        ["call", "nfc.scan", "--virtual", #"{"passportNumber":"L898902C3"}"#, #"{"dateOfBirth":"740812"}"#],
        ["call", #"{"passportNumber":"L898902C3.740812"}"#], ["passport", "read", "--virtual", "L898902C3"],
        ["passport", "read", "--wait", "L898902C3"],
      ], [false, true])
    func redaction(_ arguments: [String], _ isJSON: Bool) async throws {
      let run = try await ProgramRun.tessera(arguments + (isJSON ? ["--json"] : []))
      #expect(run.status == 2)
      for secret in ["SECRETNAME", "L898902C3", "740812"] { #expect(!(run.output + run.errors).contains(secret)) }
    }

    @Test("a result that cannot be written is an error")
    func fullDisk() async throws {
      for arguments in ["demo", "demo --json", "chip profiles", "call nfc.isSupported --virtual"] {
        let run = try await RunningProgram(
          URL(fileURLWithPath: "/bin/sh"), ["-c", "\"$0\" \(arguments) > /dev/full", ProgramRun.tessera.path]
        ).finish()
        #expect(run.status == 2 && run.errors.contains("cannot be written"), "\(arguments)")
      }
    }

    @Test("unreadable input is a usage error, not a defect", arguments: ["< /tmp", "<&-"])
    func input(_ redirection: String) async throws {
      for arguments in ["passport read --virtual --mrz -", "call nfc.scan --virtual -"] {
        let run = try await RunningProgram(
          URL(fileURLWithPath: "/bin/sh"), ["-c", "\"$0\" \(arguments) \(redirection)", ProgramRun.tessera.path]
        ).finish()
        #expect(run.status == 2, "\(arguments) \(redirection): \(run.errors)")
      }
    }

    @Test("generates completion scripts", arguments: ["bash", "zsh", "fish"])
    func completion(_ shell: String) async throws {
      let run = try await ProgramRun.tessera(["--generate-completion-script", shell])
      #expect(run.status == 0 && run.output.contains("tessera"))
    }
  }
}
