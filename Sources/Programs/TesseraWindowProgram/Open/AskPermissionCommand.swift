import ArgumentParser
import Glibc
import TesseraBridge
import TesseraCommandLine
import TesseraCore
import TesseraGrants
import TesseraWindow

/// The dialog of `tessera serve --ask`, which another program starts.
struct AskPermissionCommand: ParsableCommand, WindowCommand {
  static let configuration = CommandConfiguration(
    commandName: PermissionDialog.command, abstract: "Asks whether a page may use a domain.", shouldDisplay: false)

  @Argument var origin: String
  @Argument var domain: String

  func validate() throws {
    guard (try? WebOrigin(named: origin)) != nil, BridgeDomain(rawValue: domain) != nil else {
      throw ValidationError("The arguments are an origin and a domain of the bridge.")
    }
  }

  func show() -> Int32 {
    let output = ResultOutput(isJSON: false)
    guard let domain = BridgeDomain(rawValue: domain) else { return EXIT_FAILURE }
    let question = PermissionQuestion(origin: origin, domain: domain)
    return MainActor.assumeIsolated {
      MainLoop.run { () -> Int32 in
        do {
          try MainLoop.openDisplay()
          try StandardOutput.write(await question.ask(over: nil).rawValue)
          return EXIT_SUCCESS
        } catch {
          return output.show(Failure(error))
        }
      } ?? EXIT_FAILURE
    }
  }
}
