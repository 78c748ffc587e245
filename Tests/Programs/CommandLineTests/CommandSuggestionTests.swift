import ArgumentParser
import Foundation
import Tessera
import TesseraCommandLine
import TestSupport
import Testing

@testable import TesseraCLI

@Suite("What a user meant who typed something else")
struct CommandSuggestionTests {
  @Test(
    "a command that two changes make of the word, of each depth, also with options behind it",
    arguments: [
      ("pasport", "passport"), ("passport raed --virtual", "read"), ("key sing", "sign"), ("serv", "serve"),
      ("servise install", "service"), ("grants lst", "list"), ("mrz sacn --json", "scan"), ("trust imprt x", "import"),
      ("hlep", "help"),
    ])
  func found(_ line: String, _ command: String) throws {
    let words = line.split(separator: " ").map(String.init)
    let suggestion = try #require(CommandSuggestion.find(in: words, TesseraCommand.self))
    #expect(suggestion.commands == [command] && words.contains(suggestion.word))
    let message = CommandSuggestion.added(
      to: "Error: Unexpected argument '\(suggestion.word)'\nUsage: x", words, TesseraCommand.self)
    #expect(message == "Error: Unexpected argument '\(suggestion.word)'. Did you mean '\(command)'?\nUsage: x")
  }

  @Test(
    "nothing for a command, another word, an option or a value",
    arguments: ["", "passport", "passport read", "xyz", "--pasport", "passport read raed", "key sign sing", "x", "ab"])
  func nothing(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    #expect(CommandSuggestion.find(in: words, TesseraCommand.self) == nil)
    #expect(CommandSuggestion.added(to: "Error: x", words, TesseraCommand.self) == "Error: x")
  }

  @Test(
    "the name of a command of another place stands for its whole line",
    arguments: [
      ("read", "'tessera passport read'"), ("read --virtual", "'tessera passport read'"),
      ("verify dump", "'tessera passport verify', 'tessera seal verify' or 'tessera key verify'"),
      ("key import x y", ""), ("key scan", "'tessera mrz scan' or 'tessera seal scan'"),
      ("help verify", "'tessera passport verify', 'tessera seal verify' or 'tessera key verify'"),
      ("raed --virtual", "'tessera passport read'"),
      ("help verfy", "'tessera passport verify', 'tessera seal verify' or 'tessera key verify'"),
    ])
  func elsewhere(_ line: String, _ expected: String) {
    let words = line.split(separator: " ").map(String.init)
    let commands = CommandSuggestion.find(in: words, TesseraCommand.self)?.commands ?? []
    #expect(NearNames.question(commands) == (expected.isEmpty ? "" : " Did you mean \(expected)?"))
  }

  @Test(
    "another word for what a command of this place does comes before the same word of another place",
    arguments: [
      ("grants remove", "withdraw"), ("grants delete x", "withdraw"), ("key remove k", "delete"),
      ("trust delete", "remove"),
      ("storage remove x", "clear"), ("key create k", "generate"), ("trust show", "list"), ("key ls", "list"),
    ])
  func synonym(_ line: String, _ command: String) {
    let words = line.split(separator: " ").map(String.init)
    #expect(CommandSuggestion.find(in: words, TesseraCommand.self)?.commands == [command])
  }

  @Test("a profile in place of a command, and as a word of its own")
  func profile() {
    func added(_ message: String, _ words: [String]) -> String {
      CommandSuggestion.added(to: message, words, TesseraCommand.self)
    }
    let word = "Error: Unexpected argument 'germany-2023'"
    #expect(
      added(word, ["germany-2023"]) == "\(word). Did you mean 'tessera passport read --virtual=germany-2023'?")
    #expect(added(word, ["passport", "read", "germany-2023"]) == "\(word). Did you mean '--virtual=germany-2023'?")
    // These have no such option.
    #expect(added(word, ["demo", "germany-2023"]) == word && added(word, ["key", "list", "germany-2023"]) == word)
    #expect(CommandSuggestion.find(in: ["key", "germany-2023"], TesseraCommand.self) == nil)
  }

  @Test("a file in place of a command: the commands that take such a file")
  func file() throws {
    let folder = try TemporaryFolder()
    func commands(_ name: String) throws -> [String] {
      let path = folder.file(name)
      if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(fileURLWithPath: path)) }
      return CommandSuggestion.find(in: [path], TesseraCommand.self)?.commands ?? []
    }
    #expect(try commands("dump.tessera") == ["tessera passport verify \(folder.file("dump.tessera"))"])
    // The number of a document is a name that people give a folder.
    try FileManager.default.createDirectory(atPath: folder.file("L898902C3"), withIntermediateDirectories: true)
    #expect(try commands("L898902C3") == ["tessera passport verify FILE"])
    #expect(try commands("v.JPG") == ["seal verify", "mrz scan"].map { "tessera \($0) \(folder.file("v.JPG"))" })
    #expect(try commands("DE.ml") == ["tessera trust import \(folder.file("DE.ml"))"])
    // What a shell would not take for one word is not repeated.
    #expect(try commands("a b$(c)") == ["tessera passport verify FILE", "tessera seal verify FILE"])
    #expect(CommandSuggestion.find(in: [folder.file("none")], TesseraCommand.self) == nil)
  }

  @Test("a request for the help of a command that does not exist names it, and what is like it")
  func help() {
    for (line, word) in [("help pasport", "pasport"), ("help passport raed", "raed"), ("passport raed --help", "raed")]
    {
      let words = line.split(separator: " ").map(String.init)
      #expect(CommandSuggestion.unknownCommand(in: words, TesseraCommand.self) == word)
      #expect(CommandSuggestion.find(in: words, TesseraCommand.self)?.word == word)
    }
    // A default command may have values. Its help is asked for without any.
    for line in [
      "help", "help help", "help passport", "passport read --help", "--help", "mrz page.png", "help key sign",
    ] {
      let words = line.split(separator: " ").map(String.init)
      #expect(CommandSuggestion.unknownCommand(in: words, TesseraCommand.self) == nil, "\(line)")
    }
    #expect(CommandSuggestion.unknownCommand(in: ["help", "mrz", "scn"], TesseraCommand.self) == "scn")
  }

  @Test("an option of every command, and a word that --virtual took")
  func options() {
    func added(_ message: String, _ words: [String]) -> String {
      CommandSuggestion.added(to: message, words, TesseraCommand.self)
    }
    #expect(
      added("Error: Unknown option '--verison'\nUsage: x", ["--verison"])
        == "Error: Unknown option '--verison'. Did you mean '--version'?\nUsage: x")
    #expect(added("Error: Unknown option '--colour'", ["--colour"]) == "Error: Unknown option '--colour'")
    let version = "Error: Unexpected argument 'version'"
    #expect(added(version, ["version"]) == "\(version). Did you mean 'tessera --version'?")
    for word in ["-v", "-V"] {
      let message = "Error: Unknown option '\(word)'"
      #expect(added(message, [word]) == "\(message). Did you mean '--version'?")
    }
    for (line, remark) in [
      ("passport report --out x", " Did you mean '--output'?"),
      ("passport report --json x", " Use `tessera passport verify --json` for JSON."),
      ("seal verify --out x", " Did you mean '--report'?"),
      ("mrz scan --out x", " The result is written to standard output."),
      ("mrz --out x", " The result is written to standard output."),
    ] {
      let words = line.split(separator: " ").map(String.init)
      let message = "Error: Unknown option '\(words.first { $0.hasPrefix("--") } ?? "")'"
      for end in ["", ". Did you mean '--at'?"] { #expect(added(message + end, words) == "\(message).\(remark)") }
    }
    let own = "Error: Unknown option '--vitual'. Did you mean '--virtual'?"
    #expect(added(own, ["passport", "read", "--vitual"]) == own)
    let missing = "Error: Missing expected argument '<domain.method>'"
    #expect(added(missing, ["call", "--virtual", "nfc.scan"]).hasSuffix("put --virtual last."))
    for words in [["call"], ["call", "--virtual"], ["call", "--virtual", "open"], ["call", "--virtual", "--json"]] {
      #expect(added(missing, words) == missing)
    }
  }

  @Test("names of several parts, of which the first are enough")
  func longer() {
    let names = ChipProfile.named.map(\.name)
    #expect(NearNames.orLonger("germany", in: names) == ["germany-2023"])
    #expect(NearNames.orLonger("finland", in: names) == ["finland-2023", "finland-id-2023"])
    #expect(NearNames.orLonger("fault-slwo", in: names) == ["fault-slow"])
    // Too many, and none.
    #expect(NearNames.orLonger("fault", in: names).isEmpty)
    #expect(NearNames.orLonger("nothing", in: names).isEmpty && NearNames.orLonger("", in: names).isEmpty)
    for word in ["visa", "viza"] {
      #expect(NearNames.orLonger(word, in: SpecimenSealKind.all.map(\.name)) == ["visa-a", "visa-b"])
    }
    #expect(NearNames.orLonger("germny", in: names) == ["germany-2023"])
    #expect(NearNames.orLonger("falt", in: names).isEmpty)
  }

  @Test("all commands that are equally near")
  func several() {
    #expect(CommandSuggestion.find(in: ["cat"], Root.self)?.commands == ["cap", "car"])
    #expect(CommandSuggestion.find(in: ["caps"], Root.self)?.commands == ["cap"])
  }

  @Test("a value of a default command is not taken for a command that is spelt wrong")
  func defaultCommand() {
    let message = "Error: Missing value for '--x'"
    #expect(CommandSuggestion.added(to: message, ["lst", "--x"], GrantsCommand.self) == message)
  }

  private struct Root: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "root", subcommands: [Cap.self, Car.self, Hidden.self])
  }
  private struct Cap: ParsableCommand { static let configuration = CommandConfiguration(commandName: "cap") }
  private struct Car: ParsableCommand { static let configuration = CommandConfiguration(commandName: "car") }
  private struct Hidden: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "cats", shouldDisplay: false)
  }
}

@Suite("Words that an error repeats")
struct RedactedWordTests {
  @Test("the name of a file is shown; a number, a date, a zone and a request are not")
  func shown() {
    for word in ["report2.html", "all2.pem", "scans/2026-05-28.JPG", "a.jp2", "germany-2023"] {
      #expect(CommandProgram.redacted("Unexpected argument '\(word)'", [word]) == "Unexpected argument '\(word)'")
    }
    for word in [
      "L898902C3", "14.02.1990", "900214", "P<UTO.TXT", "{\"a\":\"1.json\"}", "L898902C3.740812", ".pem1", "L898902C3.",
      "L898902C3/740812", "123456",
    ] {
      #expect(CommandProgram.redacted("Unexpected argument '\(word)'", [word]) == "Unexpected argument '...'")
    }
  }
}

@Suite("The forms of a grant that a user types")
struct GrantFormTests {
  @Test("a grant is added as it is withdrawn, and as the list prints it")
  func added() {
    for (grant, words) in [
      ("https://a.example=nfc,!crypto", []), ("https://a.example", ["nfc", "!crypto"]),
      ("https://a.example", ["nfc,", "!crypto"]), ("https://a.example", ["=", "nfc,", "!crypto"]),
      ("https://a.example=", ["nfc", "!crypto"]), ("https://a.example=nfc", ["!crypto"]),
    ] {
      #expect(GrantsCommand.Add.text(grant, words) == "https://a.example=nfc,!crypto")
    }
    #expect(GrantsCommand.Add.text("https://a.example", []) == "https://a.example")
  }

  @Test("a grant is withdrawn as it is added; nothing behind the sign is not everything")
  func withdrawn() throws {
    for (origin, words) in [
      ("https://a.example", ["nfc", "crypto"]), ("https://a.example=nfc,!crypto", []),
      ("https://a.example", ["=", "nfc,", "!crypto"]), ("https://a.example = nfc, !crypto", []),
    ] {
      let parts = try GrantsCommand.Withdraw.parts(origin, words)
      #expect(parts.origin == "https://a.example" && parts.names == ["nfc", "crypto"], "\(origin) \(words)")
    }
    #expect(try GrantsCommand.Withdraw.parts("https://a.example", []).names.isEmpty)
    for (origin, words) in [("https://a.example=", []), ("https://a.example", ["="]), ("=nfc", [])] {
      #expect(throws: Failure.self) { try GrantsCommand.Withdraw.parts(origin, words) }
    }
  }
}

@Suite("The lines that show how a command is called")
struct UsageLineTests {
  @Test("are folded between arguments, below the name of the command")
  func folded() {
    let arguments = (1...9).map { "[--option-\($0) <value> ...]" }
    let usage = "USAGE: tool \(arguments.joined(separator: " ")) --must <value> <file> ..."
    let text = "OVERVIEW: x\n\n\(usage)\n\nOPTIONS:\n  a"
    let lines = UsageLines.folded(text).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(lines[2] == "USAGE: tool \(arguments[0]) \(arguments[1])")
    #expect(lines[3] == "       \(arguments[2]) \(arguments[3])")
    #expect(lines.contains { $0.hasSuffix("--must <value> <file> ...") })
    #expect(lines.suffix(3) == ["", "OPTIONS:", "  a"])
  }

  @Test("stay as they are otherwise, as all other lines do")
  func unchanged() {
    let long = String(repeating: "x ", count: 80)
    for text in ["USAGE: tool [--a]\n\(long)", "\(long)", "Error: y\nUsage: tool <a>\n  See 'tool --help'"] {
      #expect(UsageLines.folded(text) == text)
    }
    // An argument that is wider than the terminal has a line of its own.
    let wide = "Usage: tool [--a] [\(String(repeating: "y", count: 90))] [--b]"
    #expect(UsageLines.folded(wide).split(separator: "\n").map(\.count) == [17, 99, 12])
  }
}

@Suite("Names that a shell completes")
struct NameCompletionTests {
  @Test("bash runs nothing of a name, and zsh sees no description in it")
  func offered() {
    let names = [
      "b", "https://a.example", "a b (1)", "$(id)", "`id`", "a'b", "a\"b", "a\\b", "-x", "", "a;b", "a\nb", "b",
      // One character each, which begins with a letter.
      "\u{D4E}$(id)", "\u{D4E}`id`",
    ]
    #expect(NameCompletion.offered(names, to: .bash) == ["a b (1)", "b", "https://a.example"])
    #expect(NameCompletion.offered(names, to: .zsh) == ["a b (1)", "b", "https\\://a.example"])
    #expect(NameCompletion.offered(names, to: nil) == NameCompletion.offered(names, to: .fish))
  }
}
