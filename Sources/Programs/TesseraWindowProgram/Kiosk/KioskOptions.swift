import ArgumentParser
import FoundationEssentials
import TesseraCommandLine
import TesseraCore
import TesseraDurableFiles
import TesseraHTTPClient
import TesseraKeys
import TesseraKiosk
import TesseraLinuxProviders
import TesseraVerification

/// The options of `tessera kiosk`.
struct KioskOptions: ParsableArguments {
  static let discussion = """
    Shows Tessera's page, which reads and verifies a document, on the whole screen, for one guest after the other. It \
    ends by a signal, or with status 3 if its page cannot be shown: a service manager then starts it anew.

    Each read becomes one result, which is signed with a key of this machine before the guest sees the verdict. With a \
    folder, --results leaves it there; with an https address, it is sent until the server has it. NAME.json is the \
    result, NAME.json.sig its signature:
      tessera key public kiosk > kiosk.pem
      openssl dgst -sha256 -verify kiosk.pem -signature NAME.json.sig NAME.json

    Examples:
      tessera kiosk --virtual
      tessera kiosk --results ./results --receipt ./print-receipt
      tessera kiosk --results https://desk.example/results --theme ./theme
      tessera kiosk --page ./my-page
    """

  @Option(
    help: ArgumentHelp(
      "Where results go: a folder, or an https address that receives each once.", valueName: "dir|url"),
    completion: .directory
  )
  var results: String?

  @Option(
    help: ArgumentHelp(
      "Where results wait for their delivery (default: $XDG_STATE_HOME/tessera/kiosk).", valueName: "dir"),
    completion: .directory)
  var outbox: String?

  @Option(
    help: ArgumentHelp(
      "The members of the document that results have (default: all): \(GuestResult.members.joined(separator: ", ")).",
      valueName: "name,…"))
  var disclose: String?

  @Option(
    help: ArgumentHelp("The name of this kiosk in results (default: the name of the machine).", valueName: "text"))
  var name: String?

  @Option(
    help: ArgumentHelp(
      "The key that signs results; it is made if it does not exist (default: kiosk).", valueName: "name"))
  var key: String?

  @Option(
    help: ArgumentHelp(
      "The store of the key (default: \(KeyStores.standard)). It must need no PIN and no passphrase.",
      valueName: "store"))
  var store: String?

  @Option(
    help: ArgumentHelp(
      "Run this program for each result, which is its standard input; 30 s at most.", valueName: "file"),
    completion: .file())
  var receipt: String?

  @Option(
    help: ArgumentHelp("The look of the page: a folder with theme.json and a logo.", valueName: "dir"),
    completion: .directory)
  var theme: String?

  @Option(
    help: ArgumentHelp("Show another page, from this folder with index.html.", valueName: "dir"), completion: .directory
  )
  var page: String?

  @Option(help: ArgumentHelp("End after so many failures of the page in a row.", valueName: "count"))
  var failures = 5

  @Option(
    help: ArgumentHelp(
      "Write metrics into this file for node_exporter's textfile collector; its name ends in \(MetricsFile.ending).",
      valueName: "file"), completion: .file(extensions: ["prom"]))
  var metrics: String?

  @Flag(
    help: ArgumentHelp(
      "Only check the options, the theme, the page and the place of results: status 2 if one is wrong, for "
        + "ExecCondition= of a unit. It looks for no reader."))
  var check = false

  @Option(
    help: ArgumentHelp(
      "Only print the words of the page in this language, de, en or a new one, as a part of theme.json.",
      valueName: "tag"))
  var words: String?

  @OptionGroup(title: "Reader") var card: CardOptions

  func validate() throws {
    if theme != nil, page != nil { throw ValidationError("--theme and --page are mutually exclusive.") }
    guard 1...1_000 ~= failures else { throw ValidationError("--failures must be a number from 1 to 1000.") }
    if outbox != nil, !isServer { throw ValidationError("--outbox requires --results with an https address.") }
    if let metrics, !metrics.hasSuffix(MetricsFile.ending) || metrics.hasSuffix("/" + MetricsFile.ending) {
      throw ValidationError(
        "--metrics needs the name of a file that ends in \(MetricsFile.ending): node_exporter reads no others.")
    }
    if let words, !ThemeWords.isTag(words) {
      throw ValidationError("--words requires the tag of a language, such as fr or pt-BR.")
    }
    if results == "" { throw ValidationError("--results is empty; it is a folder or an https address.") }
    if results == nil {
      for (name, isGiven) in [("--key", key != nil), ("--store", store != nil)] where isGiven {
        throw ValidationError("\(name) requires --results.")
      }
      for (name, isGiven) in [("--disclose", disclose != nil), ("--name", name != nil)] where isGiven && receipt == nil
      {
        throw ValidationError("\(name) requires --results or --receipt.")
      }
    }
    if let results, Self.isAlmostAddress(results), !isServer {
      throw ValidationError(
        "--results is a folder or an https address with two slashes, not http; ./ before the name of a folder says that it is one."
      )
    }
    if let results, isServer, (try? HTTPSAddress(results)) == nil {
      throw ValidationError("--results has an invalid address; write it like https://desk.example/results.")
    }
    for name in disclosed where !GuestResult.members.contains(name) {
      throw ValidationError(
        "--disclose has the unknown member \"\(name)\"; it knows \(GuestResult.members.joined(separator: ", ")).")
    }
  }

  /// Whether it begins like an address, `word:/`.
  private static func isAlmostAddress(_ text: String) -> Bool {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), colon > text.startIndex else { return false }
    return text[..<colon].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
      && text[colon...].hasPrefix(":/")
  }

  private var isServer: Bool { results?.lowercased().hasPrefix("https://") ?? false }

  /// The name of the key that signs results.
  var keyName: String { key ?? "kiosk" }

  private var disclosed: [String] {
    disclose?.split(separator: ",").map { String($0.drop { $0 == " " }) } ?? GuestResult.members
  }

  /// What becomes of results.
  ///
  /// - Parameter log: receives sentences for the operator.
  func guestBook(_ log: @escaping @Sendable (String) -> Void) throws -> GuestBook.Settings {
    var settings = GuestBook.Settings(kiosk: name ?? Self.machine)
    settings.disclosed = disclosed
    settings.isVirtual = card.virtualProfile != nil
    // What the specimen says of the time must not count for real documents.
    if !settings.isVirtual { settings.clock = ClockWatch(.standard(ProcessInfo.processInfo.environment)) }
    settings.receipt = try receipt.map { path throws(Failure) in try ReceiptProgram(path: path) }
    if let results {
      let signer = ResultSigner(store: try keyStore(), name: try KeyName(keyName)) { [keyName] in
        log("A new key signs the results. Its public key: tessera key public \(keyName)")
      }
      let destination = try destination(results)
      settings.destination = (destination, signer)
      let name = try ResultSpool.folderName(destination, disclosed: disclosed, isVirtual: settings.isVirtual)
      settings.spool = Self.spools.map { "\($0)/\(name)" }
    }
    return settings
  }

  private func keyStore() throws -> any KeyStore {
    if let store, store != KeyStores.standard {
      return try KeyStores.store(store, newKeys: .secretServiceOrKeyFile, secrets: NonInteractive())
    }
    // Without the Secret Service, which would ask guests for the password of the keyring.
    return FileKeyStore(newKeys: .secretServiceOrKeyFile, secrets: NonInteractive()) { nil }
  }

  private func destination(_ results: String) throws -> GuestBook.Destination {
    guard isServer else {
      try ResultFolder(path: results).requireFolder()
      return .folder(results)
    }
    if let outbox { try ResultFolder(path: outbox).requireFolder() }
    return .server(try HTTPSAddress(results), outbox: outbox ?? Self.stateFolder + "/kiosk")
  }

  /// In memory, which outlives this program but not the session, and on the disk of the user.
  private static var spools: [String] {
    let session = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return [session.map { $0 + "/tessera" }, stateFolder].compactMap(\.self)
  }

  private static var stateFolder: String { UserFolders.state(ProcessInfo.processInfo.environment) + "/tessera" }

  private static var machine: String { ProcessInfo.processInfo.hostName }

  /// What is shown.
  func content(hasResults: Bool) throws -> BundledContent {
    if let page { return try KioskPage.folder(page) }
    return KioskPage.verification(try kioskTheme(), keepsResults: hasResults)
  }

  /// Which words of the theme have no effect, or lack something, a sentence for each: no reason not to start.
  func themeNotes(_ settings: GuestBook.Settings) throws -> [String] {
    guard let theme = try kioskTheme() else { return [] }
    return theme.unseenWords(settings) + theme.incompleteWords()
  }

  func kioskTheme() throws -> KioskTheme? {
    try theme.map { folder throws(Failure) in try KioskTheme(folder: folder) }
  }
}
