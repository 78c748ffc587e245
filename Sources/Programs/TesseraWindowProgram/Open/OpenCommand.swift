import ArgumentParser
import TesseraCommandLine

struct OpenCommand: ParsableCommand, WindowCommand {
  static let configuration = CommandConfiguration(
    commandName: SiblingCommand.open.name, abstract: SiblingCommand.open.abstract, discussion: OpenOptions.discussion)

  @OptionGroup var options: OpenOptions

  func show() -> Int32 { Launching(options).run() }
}
