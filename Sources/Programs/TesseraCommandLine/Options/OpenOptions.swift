package import ArgumentParser
internal import Tessera

/// The arguments of `tessera open`, which `tessera-window` receives unchanged.
package struct OpenOptions: ParsableArguments {
  package enum Mode: String, ExpressibleByArgument, CaseIterable {
    /// One verification for this program.
    case embed
    /// The wallet of the user. Tessera's own page then begins again after each document.
    case wallet
  }

  package static let discussion = """
    Without an address, the window shows Tessera's own page, which reads and verifies a document. With one, it shows \
    that page and gives it the bridge. A page that was not granted a device asks the user; `tessera grants` lists and \
    withdraws the answers.

    The exit status is 0 with a result, 5 if the page reports a failure, and 8 if the window was closed.

    The file of --request contains what is to be verified, for example:
      {"scope": "hotel", "disclosures": ["surname", "givenNames"]}

    Examples:
      tessera open
      tessera open --virtual --json
      tessera open https://wallet.example --request request.json
      tessera open --kiosk
    """

  package init() {}

  @Argument(help: ArgumentHelp("The https address of the page; with --debug also an http address of this machine."))
  package var url: String?

  @Option(
    help: ArgumentHelp("Read the verification request, a JSON object, from this file.", valueName: "file|-"),
    completion: .file())
  package var request: String?

  @Flag(help: "Print the result as one JSON object.")
  package var json = false

  @Option(help: "What the page learns: one verification for this program (embed), or the user's wallet (wallet).")
  package var mode: Mode?

  @Flag(help: "Fill the screen. Only Ctrl+Alt+Shift+Q leaves; pages ask for nothing and save nothing.")
  package var kiosk = false

  @Flag(help: "Allow http addresses of this machine and the developer tools.")
  package var debug = false

  @Option(
    name: .customLong("grant"), parsing: .singleValue,
    help: ArgumentHelp(
      "Grant a web origin these domains, or methods such as nfc.scan; repeatable.", valueName: "origin=domain,…"))
  package var grants: [String] = []

  @OptionGroup(title: "Reader") package var card: CardOptions

  /// `--virtual` takes the next argument as its profile. An address there is the page's.
  package mutating func validate() {
    guard url == nil, let text = card.virtualProfile, text.contains("://") else { return }
    url = text
    card.virtualProfile = ChipProfile.bac.name
  }
}
