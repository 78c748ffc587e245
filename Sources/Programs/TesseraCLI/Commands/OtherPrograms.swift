import ArgumentParser
import Tessera
import TesseraCommandLine

/// A command of another program in the list of `tessera --help`. `OtherPrograms` starts that program before any argument of
/// the command is looked at, so its options, its help and its subcommands stand in that program only.
protocol OtherProgramCommand: ParsableCommand {
  static var sibling: SiblingCommand { get }
}

extension OtherProgramCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: sibling.name, abstract: sibling.abstract)
  }

  func run() throws { try Self.sibling.program.replaceProcess() }
}

struct ServeCommand: OtherProgramCommand { static let sibling = SiblingCommand.serve }
struct ServiceCommand: OtherProgramCommand { static let sibling = SiblingCommand.service }
struct CallCommand: OtherProgramCommand { static let sibling = SiblingCommand.call }
struct OpenCommand: OtherProgramCommand { static let sibling = SiblingCommand.open }
struct KioskCommand: OtherProgramCommand { static let sibling = SiblingCommand.kiosk }
struct FlowCommand: OtherProgramCommand { static let sibling = SiblingCommand.flow }
struct StringsCommand: OtherProgramCommand { static let sibling = SiblingCommand.strings }
struct InspectCommand: OtherProgramCommand { static let sibling = SiblingCommand.inspect }
struct FleetCommand: OtherProgramCommand { static let sibling = SiblingCommand.fleet }

/// Starts other programs by the first word of the arguments, as git does.
enum OtherPrograms {
  /// The process goes on as the program that has the command. `tessera help WORD` asks it for the help of the command.
  ///
  /// A word that names no command starts `tessera-WORD`, if that is installed.
  ///
  /// - Parameter known: the names of the commands of `tessera`.
  /// - Throws: `Failure` if the program of a command is not installed.
  static func start(_ arguments: [String], known: [String]) throws(Failure) {
    var arguments = arguments
    if arguments.first == "help", arguments.count > 1 { arguments = Array(arguments.dropFirst()) + ["--help"] }
    // The script of a shell asks for names: the command comes second.
    let isCompletion = arguments.first == CommandProgram.completionRequest
    guard let word = isCompletion ? arguments.dropFirst().first : arguments.first else { return }
    if let command = SiblingCommand.all.first(where: { $0.name == word }) {
      try command.program.replaceProcess(arguments: arguments)
    }
    guard !isCompletion, !(known + ["help"]).contains(word), word.allSatisfy({ $0.isLetter || $0 == "-" }),
      word.first != "-"
    else { return }
    for path in ProgramFile.paths(of: "tessera-\(word)") {
      SiblingProgram.execute(path, ["tessera-\(word)"] + arguments.dropFirst())
    }
  }
}
