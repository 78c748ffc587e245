import FoundationEssentials
import Glibc

/// A program's commands and arguments, as its hidden option `--experimental-dump-help` prints them.
///
/// swift-argument-parser has such types, too, but in a module that none of its products contains.
struct ProgramDefinition: Decodable, Sendable {
  let command: CommandDefinition

  /// Runs the program, and reads what it prints.
  ///
  /// - Throws: `ManualError` if the program cannot be run or prints something else.
  init(program path: String) throws(ManualError) {
    // In single quotation marks, a shell changes nothing but a single quotation mark.
    let word = "'" + path.replacing("'", with: #"'\''"#) + "'"
    guard let pipe = popen("\(word) --experimental-dump-help", "r") else { throw .cannotRun(path) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&buffer, 1, buffer.count, pipe)
      guard count > 0 else { break }
      bytes += buffer.prefix(count)
    }
    guard pclose(pipe) == 0 else { throw .cannotRun(path) }
    self = try Self.decoded(bytes, path)
  }

  private static func decoded(_ bytes: [UInt8], _ path: String) throws(ManualError) -> ProgramDefinition {
    do {
      return try JSONDecoder().decode(ProgramDefinition.self, from: Data(bytes))
    } catch {
      throw .notADefinition(path)
    }
  }
}

/// One command with its arguments and subcommands.
struct CommandDefinition: Decodable, Sendable {
  /// The program and the commands above this one.
  private(set) var superCommands: [String]?
  let shouldDisplay: Bool?
  let commandName: String
  let abstract: String?
  let discussion: String?
  /// The command that runs without the name of one.
  let defaultSubcommand: String?
  private(set) var subcommands: [CommandDefinition]?
  let arguments: [ArgumentDefinition]?

  /// What the user types before the arguments: `["tessera", "passport", "read"]`.
  var words: [String] { (superCommands ?? []) + [commandName] }

  /// The name of the page: `tessera-passport-read`.
  var pageName: String { words.joined(separator: "-") }

  /// The subcommands that have pages. The parser adds `help` to each program; `--help` says the same.
  var shownSubcommands: [CommandDefinition] {
    (subcommands ?? []).filter { $0.shouldDisplay ?? true && $0.commandName != "help" }
  }

  var shownArguments: [ArgumentDefinition] { (arguments ?? []).filter(\.shouldDisplay) }

  /// This command and all below it that have pages.
  var tree: [CommandDefinition] { [self] + shownSubcommands.flatMap(\.tree) }

  /// Whether the program only starts another one for this command, and has no options of it.
  private var isStart: Bool { shownSubcommands.isEmpty && shownArguments.allSatisfy(\.isStandard) }

  /// This program with commands of other programs in place of those that it only starts; and those programs, each with the
  /// commands that it gave under the name of this one.
  func taking(_ others: [CommandDefinition]) -> [CommandDefinition] {
    var open = Set(shownSubcommands.filter(\.isStart).map(\.commandName))
    var taken: [String: CommandDefinition] = [:]
    let others = others.map { other in
      var other = other
      other.subcommands = other.shownSubcommands.map { command in
        guard open.remove(command.commandName) != nil else { return command }
        let command = command.called(by: commandName)
        taken[command.commandName] = command
        return command
      }
      return other
    }
    var merged = self
    merged.subcommands = subcommands?.map { taken[$0.commandName] ?? $0 }
    return [merged] + others
  }

  private func called(by program: String) -> CommandDefinition {
    var renamed = self
    renamed.superCommands = [program] + (superCommands ?? []).dropFirst()
    renamed.subcommands = subcommands?.map { $0.called(by: program) }
    return renamed
  }
}

/// An option, a flag or a positional argument.
struct ArgumentDefinition: Decodable, Sendable {
  enum Kind: String, Decodable, Sendable {
    case positional
    case option
    case flag
  }

  struct Name: Decodable, Sendable {
    enum Kind: String, Decodable, Sendable {
      case long
      case short
      case longWithSingleDash
    }

    let kind: Kind
    let name: String

    /// The name as it is typed.
    var text: String { (kind == .long ? "--" : "-") + name }
  }

  let kind: Kind
  let shouldDisplay: Bool
  let sectionTitle: String?
  let isOptional: Bool
  let isRepeating: Bool
  let names: [Name]?
  let preferredName: Name?
  let valueName: String?
  let defaultValue: String?
  let allValues: [String]?
  let abstract: String?
  let discussion: String?

  /// Whether the option can stand without its value. The parser prints no such property of `defaultAsFlag`; a test
  /// compares this with the help.
  var hasOptionalValue: Bool { kind == .option && (names ?? []).contains { $0.text == "--virtual" } }

  /// Whether each program of the parser has it.
  var isStandard: Bool { (names ?? []).contains { ["--help", "--version"].contains($0.text) } }
}
