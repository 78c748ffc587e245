package import ArgumentParser

/// The commands that a user meant who typed another word. The argument parser suggests options only.
package enum CommandSuggestion {
  /// The most letters that were added, left out or exchanged; of a short word, half of it.
  private static let mostChanges = 2

  /// - Parameters:
  ///   - arguments: those of the process, without its name.
  ///   - root: the command of the program.
  /// - Returns: the word that names no command, and those that it resembles most; whether the word can be nothing but
  ///   the name of a command, as it is without a default command. nil if there is no such word, or if no command resembles
  ///   it.
  package static func find(
    in arguments: some Sequence<String>, _ root: any ParsableCommand.Type
  ) -> (word: String, commands: [String], isCertain: Bool)? {
    var command: any ParsableCommand.Type = root
    for word in arguments {
      let subcommands = command.configuration.subcommands
      // An option or a value: the words of commands come first.
      guard !word.hasPrefix("-"), word != "help", !subcommands.isEmpty else { return nil }
      if let next = subcommands.first(where: { $0.configuration.commandName == word }) {
        command = next
        continue
      }
      // The parser adds `help` to the program.
      let names =
        subcommands.filter { $0.configuration.shouldDisplay }.compactMap { $0.configuration.commandName }
        + (command == root ? ["help"] : [])
      let near = names.map { (name: $0, changes: distance(word, $0)) }
        .filter { $0.changes <= mostChanges && $0.changes * 2 <= min(word.count, $0.name.count) }
      let least = near.map(\.changes).min()
      let commands = near.filter { $0.changes == least }.map(\.name)
      return commands.isEmpty ? nil : (word, commands, command.configuration.defaultSubcommand == nil)
    }
    return nil
  }

  /// The parser's message with the suggestion. With an option after the word, the parser would complain about that one.
  package static func added(
    to message: String, _ arguments: some Sequence<String>, _ root: any ParsableCommand.Type
  ) -> String {
    guard let (word, commands, isCertain) = find(in: arguments, root) else { return message }
    var lines = message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let first = lines.first, isCertain || first.contains("nexpected argument") else { return message }
    let start = first.hasPrefix("Error: ") ? "Error: " : ""
    let suggestion = Alternatives.text(commands.map { "'\($0)'" })
    lines[0] = "\(start)Unexpected argument '\(word)'. Did you mean \(suggestion)?"
    return lines.joined(separator: "\n")
  }

  /// The number of letters to add, to leave out or to exchange (Levenshtein).
  private static func distance(_ first: String, _ second: String) -> Int {
    let second = Array(second)
    // A longer word is no typing error of a command, and slow to compare.
    guard first.count <= second.count + mostChanges else { return mostChanges + 1 }
    var row = Array(0...second.count)
    for (index, letter) in first.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in second.indices {
        let changed = diagonal + (second[column] == letter ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(changed, row[column] + 1, row[column + 1] + 1)
      }
    }
    return row[second.count]
  }
}
