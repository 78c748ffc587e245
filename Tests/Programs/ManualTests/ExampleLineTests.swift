import Testing

@testable import TesseraManual

extension RealPrograms {
  /// Many examples are run by no test: those of `--help`, and those that need what a machine may not have.
  @Suite("The command lines of all examples")
  struct ExampleLineTests {
    @Test("name commands and options that exist")
    func options() {
      let helps = BuiltManual.commands.map { CommandText($0.discussion ?? "").examples.joined(separator: "\n") }
      var count = 0
      for words in (Example.all.map(\.line) + helps).flatMap(ShellText.commands) {
        guard let root = BuiltManual.commands.first(where: { $0.words == Array(words.prefix(1)) }) else { continue }
        count += 1
        let unknown = Self.unknown(words.dropFirst(), root)
        #expect(unknown == nil, "\(words.joined(separator: " "))")
      }
      #expect(count > 150)
    }

    @Test("are checked: an unknown command and an unknown option are found")
    func findings() throws {
      let root = try #require(BuiltManual.commands.first { $0.words == ["tessera"] })
      #expect(Self.unknown(["key", "sing", "release"], root) == "sing")
      #expect(Self.unknown(["key", "sign", "release", "-", "-o", "a", "--now=1"], root) == "--now")
      #expect(Self.unknown(["grants", "--json"], root) == nil)
    }

    @Test("are divided as a shell does")
    func words() {
      let text = "tool a 'b  c' | tool \"d;e\" \\\n  --f=g # h 'i\necho '' &&tool"
      #expect(
        ShellText.commands(text) == [["tool", "a", "b  c"], ["tool", "d;e", "--f=g"], ["echo", ""], ["tool"]])
    }

    private static let ofEveryCommand: Set = ["-h", "--help", "--version", "--generate-completion-script"]

    /// The first word that is no command where one must stand, or else the first option that the command does not have.
    private static func unknown(_ words: ArraySlice<String>, _ root: CommandDefinition) -> String? {
      var command = root
      var rest = words
      while let next = command.subcommands?.first(where: { $0.commandName == rest.first }) {
        command = next
        rest = rest.dropFirst()
      }
      let standard = command.shownSubcommands.first { $0.commandName == command.defaultSubcommand }
      let needsCommand = !command.shownSubcommands.isEmpty && standard == nil
      if needsCommand, let first = rest.first, !first.hasPrefix("-") { return first }
      let arguments = (command.arguments ?? []) + (standard?.arguments ?? [])
      let names = ofEveryCommand.union(arguments.flatMap { $0.names ?? [] }.map(\.text))
      // Behind two hyphens are the words of another program; one alone is standard input.
      let options = rest.prefix { $0 != "--" }.filter { $0.hasPrefix("-") && $0 != "-" }
      return options.map { option in String(option.prefix { $0 != "=" }) }.first { !names.contains($0) }
    }
  }
}

/// What a shell makes of the examples. It does not know all that a shell does.
private enum ShellText {
  /// The commands of a text, each as its words.
  static func commands(_ text: String) -> [[String]] {
    var commands: [[String]] = [[]]
    var word: String?
    var quotation: Character?
    var isComment = false
    for character in text.replacing("\\\n", with: " ") + "\n" {
      if isComment, character != "\n" { continue }
      isComment = false
      if let mark = quotation {
        if character == mark { quotation = nil } else { word?.append(character) }
        continue
      }
      switch character {
      case "'", "\"":
        quotation = character
        word = word ?? ""
      case "#" where word == nil: isComment = true
      case " ", "\n", "|", ";", "&", "(", ")":
        if let ended = word { commands[commands.count - 1].append(ended) }
        word = nil
        if character != " " { commands.append([]) }
      default: word = (word ?? "") + String(character)
      }
    }
    return commands.filter { !$0.isEmpty }
  }
}
