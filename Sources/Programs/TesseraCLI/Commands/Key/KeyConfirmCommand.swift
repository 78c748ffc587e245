import ArgumentParser
import Tessera
import TesseraCommandLine

extension KeyCommand {
  struct Confirm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "confirm",
      abstract: "Sets whether signing for a web origin requires the user's confirmation.",
      discussion: """
        The policy applies to the key's name in every store, also after the page replaces the key. A page can make the \
        policy stricter; only this command can make it less strict.

        Example:
          tessera key confirm login always --origin https://wallet.example
        """)

    @Argument(help: "The name of the key.", completion: NameCompletion.keys) var name: String
    @Argument(help: "always, session (once per run of the service) or never.") var policy: ConfirmationPolicy
    @Option(
      help: ArgumentHelp("The web origin that owns the key.", valueName: "origin"), completion: NameCompletion.origins)
    var origin: String

    func run() async throws {
      let (name, policy) = (try KeyName(name, owner: try Caller(named: origin)), policy)
      try await Interruption.cancelling { try ConfirmationPolicies().set(policy, of: name) }
    }
  }
}
