import ArgumentParser
import Tessera

extension KeyCommand {
  struct Confirm: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Says whether a person is asked before a key signs for a web origin.",
      discussion: """
        The policy belongs to the name: it holds in every store, for the key that there is and for every one that the page \
        makes in its place. A page can make it stricter; only this command makes it less strict.

        Example:
          tessera key confirm login always --origin https://wallet.example
        """)

    @Argument(help: "What the key is called.") var name: String
    @Argument(help: "always, session (once, until the service ends) or never.") var policy: ConfirmationPolicy
    @Option(help: ArgumentHelp("The web origin whose key it is.", valueName: "origin")) var origin: String

    func run() async throws {
      let owner = KeyOwner.web(origin: try WebOrigin(named: origin).canonical)
      let (name, policy) = (try KeyName(name, owner: owner), policy)
      try await Interruption.cancelling { try ConfirmationPolicies().set(policy, of: name) }
    }
  }
}
