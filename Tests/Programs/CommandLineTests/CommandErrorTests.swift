import Foundation
import TestSupport
import Testing

extension RealPrograms {
  /// Provokes errors of the commands, and reads what a user would read.
  @Suite("Errors of commands")
  struct CommandErrorTests {
    /// A folder with inputs that no command can use: `none` is missing, `folder` a folder, `empty` has no byte, `junk`
    /// is no file of any format, `broken.json` is not complete.
    private static func shell() throws -> KeyShell {
      let shell = try KeyShell([
        "PCSCLITE_CSOCK_NAME": "/proc/nonexistent", "LIBNFC_AUTO_SCAN": "false", "TESSERA_TPM2_TCTI": "swtpm:port=1",
        "XDG_RUNTIME_DIR": "/proc/nonexistent", "COLUMNS": "80",
      ])
      try FileManager.default.createDirectory(atPath: shell.folder.file("folder"), withIntermediateDirectories: true)
      for (name, text) in [("empty", ""), ("junk", "\u{7}junk\u{1}"), ("broken.json", "{\"a\":")] {
        try Data(text.utf8).write(to: shell.folder.url.appendingPathComponent(name))
      }
      return shell
    }

    /// Commands that read `FILE`. Their first error is about it.
    static let readers = [
      "passport read --mrz ./FILE", "passport read --virtual --mrz ./FILE", "passport read --virtual --files FILE",
      "passport read --virtual --terminal FILE", "passport read --virtual --trust FILE", "passport verify FILE",
      "passport report FILE", "mrz scan FILE", "seal verify FILE", "trust import FILE", "trust check FILE",
      "key verify --public FILE FILE", "key import k FILE --unprotected", "haptic play FILE", "chip run --files FILE",
    ]

    @Test("a missing file is described in one way everywhere", arguments: readers)
    func missing(_ command: String) async throws {
      let shell = try Self.shell()
      let run = try await shell.run("$T \(command.replacing("FILE", with: "none"))")
      #expect(run.status == 2, "\(run.errors)")
      let message = run.errors.replacing("./none", with: "none")
      #expect(message == "tessera: none cannot be read: no such file or directory. Check the path.\n", "\(run.errors)")
      // As an object, if the command can print one.
      let json = try await shell.run("$T \(command.replacing("FILE", with: "none")) --json")
      guard !json.errors.contains("Unknown option") else { return }
      #expect(json.output.contains("none cannot be read: no such file or directory."), "\(json.output)\(json.errors)")
    }

    @Test("names only options that the command has", arguments: others)
    func options(_ command: String) async throws {
      let shell = try Self.shell()
      let message = try await shell.run("$T \(command)").errors
      // The usage of the argument parser has them from the command itself.
      guard message.hasPrefix("tessera: ") else { return }
      // Between backticks are other commands.
      let own = message.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined()
      let names = own.split { !($0.isLowercase || $0 == "-") }.filter { $0.hasPrefix("--") && $0.count > 2 }
      guard !names.isEmpty else { return }
      let words = command.split(separator: " ").prefix { $0.allSatisfy { $0.isLowercase && $0.isLetter } }
      let known = words.indices.reversed().map { words[...$0].joined(separator: " ") }
      var help = ""
      for line in known where help.isEmpty {
        let run = try await shell.run("$T \(line) --help")
        if run.status == 0 { help = run.output }
      }
      // One of systemctl, in the command that starts pcscd.
      for name in names where name != "--now" { #expect(help.contains(name), "\(command): \(message)") }
    }

    @Test("several dumps: the line of a missing one has the same words")
    func missingOfSeveral() async throws {
      let run = try await Self.shell().run("$T passport verify none none")
      #expect(run.output.contains("none cannot be read: no such file or directory. Check the path."), "\(run.output)")
    }

    private static let wrongLine = "TS02647184UTO9002144F3506307<<<<<<<<<<<<<<<0"

    /// Other errors: no reader, no device, no key, wrong options, outputs that cannot be written, unusable content.
    static let others = [
      "passport read", "passport read --can 123456", "passport read --reader x --can 123456",
      "passport read --nfc x --can 123456", "passport read --nfc pn532_uart:/dev/none --can 123456",
      "passport read --virtual nothing", "passport read --virtual --can 123456", "passport read --virtual --can 12",
      "passport read --virtual --mrz ABC", "passport read --virtual --prompt",
      "passport read --virtual --mrz 'P<UTOSPECIMEN<<TESSA<MARIA<<<<<<<<<<<<<<<<<<\\n\(wrongLine)'",
      "passport read --virtual --document-number 1 --date-of-birth 900214 --date-of-expiry 350630",
      "passport read --virtual fault-token --can 264718", "passport read --virtual --out /dev/null/x",
      "passport read --virtual --portrait /dev/null/x", "passport read --virtual --trace /dev/null/x",
      "passport read --virtual --groups 99", "passport verify --at yesterday folder", "passport raed", "pasport",
      "readers", "readers x", "demo x", "mrz scan --camera /dev/none", "seal verify", "trust import",
      "trust import ftp://x", "trust remove 00", "trust remove --country XX", "trust export", "trust list x",
      "chip run --vpcd 127.0.0.1:1", "chip run --vpcd x", "chip run --profile nothing", "chip terminal /dev/null/x",
      "key sign none empty",
      "key public none", "key export none", "key delete none --yes", "key request none --subject CN=a",
      "key confirm none never --origin x", "key generate '' --unprotected", "key generate k",
      "key generate k --store nothing", "key generate k --store tpm2", "key generate k --passphrase-fd 99",
      "key import k junk --unprotected", "haptic impact hevy",
      "haptic impact heavy --device /dev/none --require", "haptic devices --require", "haptic play broken.json",
      "storage clear nothing", "storage clear local", "storage unguard local x", "grants add x",
      "grants add https://a.example=nothing", "grants withdraw https://a.example", "call", "call nothing",
      "call nothing.x", "call nfc.nothing", "call nfc.scan", "call nfc.scan x",
      "call --socket /proc/nonexistent nfc.isSupported",
      "serve --grant x --socket s", "serve --websocket x --socket s", "serve --virtual nothing --socket s",
      "service install --store nothing", "doctor --rules x", "--bogus",
    ]
    /// The same content for each command that reads a file.
    static let unusable = ["folder", "empty", "junk", "broken.json"].flatMap { file in
      readers.map { $0.replacing("FILE", with: file) }
    }

    @Test("have a cause and one remedy", arguments: others + unusable)
    func remedies(_ command: String) async throws {
      let run = try await Self.shell().run("$T \(command)")
      #expect(!run.errors.isEmpty && ![0, 1].contains(run.status), "\(run.status) \(run.errors)")
      let lines = run.errors.split(separator: "\n").filter { $0.hasPrefix("tessera: ") }
      for line in lines {
        #expect(Sentences(String(line)).remedies < 2, "\(line)")
        let sentences = line.split(separator: ". ").map { $0.filter { $0 != "." } }
        #expect(Set(sentences).count == sentences.count && !line.contains(".."), "\(line)")
      }
      // Of the argument parser, which says how the command is called.
      if lines.isEmpty {
        #expect(run.errors.hasPrefix("Error: "), "\(run.errors)")
        for line in run.errors.split(separator: "\n") where line.hasPrefix("Usage:") || line.hasPrefix("       ") {
          #expect(line.count <= 80, "\(line)")
        }
      }
    }
  }
}
