package import ArgumentParser
import FoundationEssentials
package import Tessera

/// What a user meant whose command line the argument parser refuses. The parser itself suggests only the options of the
/// command.
package enum CommandSuggestion {
  /// Options of every command, which the parser does not suggest.
  private static let everywhere = ["--help", "--version"]

  /// Words that users take for one another. The commands differ in them: what is removed from a list of certificates is
  /// withdrawn from a page.
  private static let synonyms: [Set<String>] = [
    ["remove", "delete", "clear", "withdraw", "uninstall", "rm"], ["add", "create", "generate", "install", "new"],
    ["list", "ls", "show"],
  ]

  /// - Parameters:
  ///   - arguments: those of the process, without its name.
  ///   - root: the command of the program.
  /// - Returns: the word that names no command, and what to type for it: the lines of the commands that have this name in
  ///   another place, else the names that resemble it most, and the lines of those that take such a word; whether the word
  ///   can be nothing but the name of a command, as it is without a default command. nil if there is no such word, or
  ///   nothing like it.
  package static func find(
    in arguments: some Sequence<String>, _ root: any ParsableCommand.Type
  ) -> (word: String, commands: [String], isCertain: Bool)? {
    guard let (word, command, isCertain) = unknown(in: arguments, root) else { return nil }
    // The parser adds `help` to the program.
    let names = shown(command).map(\.name) + (command == root ? ["help"] : [])
    let meant = synonyms.first { $0.contains(word) }.map { names.filter($0.contains) } ?? []
    guard meant.isEmpty else { return (word, meant, isCertain) }
    let elsewhere = lines(of: word, below: root, [root.configuration.commandName ?? ""])
    var commands = elsewhere.isEmpty ? NearNames.of(word, in: names) : elsewhere
    if elsewhere.isEmpty, command == root {
      commands += linesTaking(word, root)
      // Misspelt, and in the wrong place: `raed` for `passport read`.
      if commands.isEmpty {
        commands = NearNames.of(word, in: below(root)).flatMap {
          lines(of: $0, below: root, [root.configuration.commandName ?? ""])
        }
      }
    }
    return commands.isEmpty ? nil : (word, commands, isCertain)
  }

  /// The word that stands where only the name of a command can, and is none. The parser overlooks it in a request for
  /// help.
  package static func unknownCommand(
    in arguments: some Sequence<String>, _ root: any ParsableCommand.Type
  ) -> String? {
    unknown(in: arguments, root).flatMap { $0.isCertain ? $0.word : nil }
  }

  /// The parser's message with the suggestion. With an option after the word, the parser would complain about that one.
  package static func added(
    to message: String, _ arguments: some Sequence<String>, _ root: any ParsableCommand.Type
  ) -> String {
    var lines = message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let first = lines.first else { return message }
    if let (word, commands, isCertain) = find(in: arguments, root), isCertain || first.contains("nexpected argument") {
      let start = first.hasPrefix("Error: ") ? "Error: " : ""
      lines[0] = "\(start)Unexpected argument '\(word)'.\(NearNames.question(commands))"
    } else if let remark = unknownOption(first, arguments) {
      lines[0] = remark
    } else if first.contains("Unknown option"), !first.contains("Did you mean"),
      let word = first.split(separator: "'").dropFirst().first.map(String.init)
    {
      let near = NearNames.of(word, in: everywhere)
      let question = NearNames.question(near.isEmpty && ["-v", "-V"].contains(word) ? ["--version"] : near)
      if !question.isEmpty { lines[0] = "\(first).\(question)" }
    } else if first.contains("nexpected argument"), let word = profile(among: arguments), first.contains("'\(word)'") {
      lines[0] = "\(first).\(NearNames.question(["--virtual=\(word)"]))"
    } else if first.contains("Missing expected argument"), takesProfile(arguments) {
      // Not the word itself: it may be the key of a chip.
      lines[0] = "\(first). The word behind --virtual was taken for its profile; put --virtual last."
    }
    return lines.joined(separator: "\n")
  }

  /// Options of other commands, by the command that lacks them, and what to say of them.
  private static let otherOptions: [(command: [String], options: Set<String>, remark: String)] = [
    (["passport", "report"], ["--out"], " Did you mean '--output'?"),
    (["passport", "report"], ["--json"], " Use `tessera passport verify --json` for JSON."),
    (["seal", "verify"], ["--out", "--output"], " Did you mean '--report'?"),
    // What the parser suggests for it (`--at`) is another word.
    (["mrz"], ["--out", "--output"], " The result is written to standard output."),
  ]

  /// - Parameter line: the parser's, with or without its own suggestion.
  private static func unknownOption(_ line: String, _ arguments: some Sequence<String>) -> String? {
    let parts = line.split(separator: "'", omittingEmptySubsequences: false)
    guard parts.count > 2, parts[0].hasSuffix("Unknown option ") else { return nil }
    let words = Array(arguments)
    return otherOptions.first { words.starts(with: $0.command) && $0.options.contains(String(parts[1])) }
      .map { "\(parts[0])'\(parts[1])'.\($0.remark)" }
  }

  /// Whether `--virtual` has a value that is no profile. The value is optional, so the parser takes what follows for it.
  private static func takesProfile(_ arguments: some Sequence<String>) -> Bool {
    zip(arguments, arguments.dropFirst()).contains { option, word in
      option == "--virtual" && !word.hasPrefix("-") && ChipProfile(named: word) == nil
    }
  }

  /// The name of a profile that stands as a word of its own behind a command that has `--virtual`.
  private static func profile(among arguments: some Sequence<String>) -> String? {
    let words = Array(arguments)
    guard
      [["passport", "read"], ["flow", "run"]].contains(Array(words.prefix(2)))
        || ["serve", "open", "kiosk"].contains(words.first)
    else { return nil }
    return words.dropFirst().first { ChipProfile(named: $0) != nil }
  }

  /// The command lines that take a word which was typed in place of a command: the name of a profile, or of a file.
  private static func linesTaking(_ word: String, _ root: any ParsableCommand.Type) -> [String] {
    guard let name = root.configuration.commandName, shown(root).contains(where: { $0.name == "passport" }) else {
      return []
    }
    if everywhere.contains("--\(word)") { return ["\(name) --\(word)"] }
    if ChipProfile(named: word) != nil { return ["\(name) passport read --virtual=\(word)"] }
    var isFolder = false
    guard FileManager.default.fileExists(atPath: word, isDirectory: &isFolder) else { return [] }
    let signs = Set("-_./+@,".unicodeScalars)
    let isPlain = word.unicodeScalars.allSatisfy {
      $0.isASCII && $0.properties.isAlphabetic || signs.contains($0) || ("0"..."9").contains($0)
    }
    let commands =
      switch isFolder ? "tessera" : URL(fileURLWithPath: word).pathExtension.lowercased() {
      case "tessera", "dtc": ["passport verify"]
      case "jpg", "jpeg", "png", "jp2": ["seal verify", "mrz scan"]
      case "ml", "cer", "crt", "pem", "der", "crl", "ldif": ["trust import"]
      default: ["passport verify", "seal verify"]
      }
    // A folder may have the number of a document as its name.
    let isShown = isPlain && (FileWord.isName(word) || !word.contains(where: \.isNumber))
    return commands.map { "\(name) \($0) \(isShown ? word : "FILE")" }
  }

  /// The first word that names no command, and the command below which it stands.
  private static func unknown(
    in arguments: some Sequence<String>, _ root: any ParsableCommand.Type
  ) -> (word: String, command: any ParsableCommand.Type, isCertain: Bool)? {
    var command: any ParsableCommand.Type = root
    var isHelp = false
    for word in arguments {
      let subcommands = command.configuration.subcommands
      // An option or a value: the words of commands come first.
      guard !word.hasPrefix("-"), !subcommands.isEmpty else { return nil }
      if word == "help" {
        guard command == root, !isHelp else { return nil }
        isHelp = true
      } else if let next = subcommands.first(where: { $0.configuration.commandName == word }) {
        command = next
      } else {
        return (word, command, isHelp || command.configuration.defaultSubcommand == nil)
      }
    }
    return nil
  }

  private static func shown(
    _ command: any ParsableCommand.Type
  ) -> [(name: String, command: any ParsableCommand.Type)] {
    command.configuration.subcommands.filter { $0.configuration.shouldDisplay }.compactMap { subcommand in
      subcommand.configuration.commandName.map { ($0, subcommand) }
    }
  }

  /// The names of the commands below those of the program, each once.
  private static func below(_ root: any ParsableCommand.Type) -> [String] {
    Set(shown(root).flatMap { shown($0.command).map(\.name) }).sorted()
  }

  /// The command lines of all commands of this name: `tessera passport verify`, `tessera key verify`.
  private static func lines(of name: String, below command: any ParsableCommand.Type, _ words: [String]) -> [String] {
    shown(command).flatMap { next, subcommand in
      let words = words + [next]
      return (next == name ? [words.joined(separator: " ")] : []) + lines(of: name, below: subcommand, words)
    }
  }
}

/// Words for several things of which one is right.
package enum Alternatives {
  /// "A", "A or B", "A, B or C".
  package static func text(_ things: [String]) -> String {
    guard let last = things.last, things.count > 1 else { return things.joined() }
    return "\(things.dropLast().joined(separator: ", ")) or \(last)"
  }
}

extension NearNames {
  /// " Did you mean 'a' or 'b'?", to stand behind a sentence; empty without names.
  package static func question(_ names: [String]) -> String {
    names.isEmpty ? "" : " Did you mean \(Alternatives.text(names.map { "'\($0)'" }))?"
  }
}
