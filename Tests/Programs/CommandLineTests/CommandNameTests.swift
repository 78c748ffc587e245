import ArgumentParser
import Testing

@testable import TesseraCLI

@Suite("Names of commands")
struct CommandNameTests {
  @Test("are written down: their derivation from the types took a third of the time of --help")
  func names() {
    func unnamed(_ command: any ParsableCommand.Type) -> [String] {
      let configuration = command.configuration
      return (configuration.commandName == nil ? ["\(command)"] : []) + configuration.subcommands.flatMap(unnamed)
    }
    #expect(unnamed(TesseraCommand.self) == [])
  }
}
