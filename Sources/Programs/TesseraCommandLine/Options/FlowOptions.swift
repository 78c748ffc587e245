package import ArgumentParser
package import TesseraCore

/// The arguments of `tessera flow run`, which `tessera-window` receives unchanged.
package struct FlowOptions: ParsableArguments {
  package static let discussion = """
    Shows an onboarding flow and prints the answers as one JSON object. A flow is a set of web pages that share \
    variables, or a set of screens that are drawn with native widgets; the document tells which. Without a file or an \
    address it shows a sample with three pages; the last one reads a passport.

    A flow of pages can use no hardware unless it is granted by --grant. One of screens can use none; it has no \
    languages and no selection either, so --locale, --relaxed, --grant and the options of the reader are for pages. \
    The exit status is 0 if the user finished the flow, and 8 if it was closed.

    Examples:
      tessera flow run --virtual
      tessera flow run welcome.json
      tessera flow run https://cdn.example.org/welcome.json --locale de
      tessera flow run welcome.json --grant nfc --json
      tessera flow run screens.json --html
    """

  package init() {}

  @Argument(
    help: ArgumentHelp("The document of the flow, a file or an https address.", valueName: "file|url"),
    completion: .file())
  package var source: String?

  @Flag(help: "Print one JSON object with the outcome, the answers and what the last page sent.")
  package var json = false

  @Option(help: "The language of the texts, for example de or de_AT. By default that of the system.")
  package var locale: String?

  @Flag(help: "Fill the screen.")
  package var fullScreen = false

  @Flag(help: "Allow selection and magnification, which flows do not have.")
  package var relaxed = false

  @Flag(help: "Show a flow of native screens as an HTML page.")
  package var html = false

  @Option(
    name: .customLong("grant"), parsing: .singleValue,
    help: ArgumentHelp(
      "Let the flow use this domain or method of the bridge; repeatable.", valueName: "domain[.method]"))
  package var grants: [String] = []

  @OptionGroup(title: "Reader") package var card: CardOptions

  /// `--virtual` takes the next argument as its profile. A file or an address there is the flow's.
  package mutating func validate() {
    guard source == nil, let text = card.virtualProfile, text.contains(where: { "/.".contains($0) }) else { return }
    source = text
    card.virtualProfile = CardOptions.standardProfile
  }
}

extension FlowOptions {
  /// Refuses the options that have no effect on a flow of native screens.
  ///
  /// - Throws: `Failure` of the kind `usage`, which names the option.
  package func refuseWhatPagesNeed() throws(Failure) {
    if let option = hardwareOption {
      throw Failure(.usage, "A flow of native screens uses no hardware.", remedy: "Leave out \(option).")
    }
    if locale != nil {
      throw Failure(
        .usage, "The document of a flow of native screens has its texts in one language only.",
        remedy: "Leave out --locale, and name a document in the other language.")
    }
    if relaxed {
      throw Failure(
        .usage, "Only the pages of a flow can allow selection and magnification, and this flow has native screens.",
        remedy: "Leave out --relaxed.")
    }
  }

  private var hardwareOption: String? {
    let options = [
      ("--grant", !grants.isEmpty), ("--virtual", card.virtualProfile != nil), ("--reader", card.reader != nil),
      ("--nfc", card.nfc != nil), ("--wait", card.wait != nil),
    ]
    return options.first { $0.1 }?.0
  }
}
