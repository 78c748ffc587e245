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
  let superCommands: [String]?
  let shouldDisplay: Bool?
  let commandName: String
  let abstract: String?
  let discussion: String?
  /// The command that runs without the name of one.
  let defaultSubcommand: String?
  let subcommands: [CommandDefinition]?
  let arguments: [ArgumentDefinition]?

  /// What a person types before the arguments: `["tessera", "passport", "read"]`.
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
