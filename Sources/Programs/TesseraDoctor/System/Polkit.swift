import FoundationEssentials
import Glibc
import TesseraDBus
import TesseraThreads

/// Queries polkit for the permissions of this process (polkit(8), D-Bus interface
/// org.freedesktop.PolicyKit1.Authority).
enum Polkit {
  enum Answer: Equatable {
    /// The action is allowed, possibly after a password prompt.
    case authorized
    case refused
    /// polkit is not running.
    case missing
    /// polkit does not know the action or does not respond.
    case unknown
  }

  /// The actions of a pcscd with polkit support, which the one of Debian 12 does not have (pcsc-lite's README.polkit).
  enum Action: String {
    case talkToService = "org.debian.pcsc-lite.access_pcsc"
    case useCards = "org.debian.pcsc-lite.access_card"
  }

  static func answer(_ action: Action) async -> Answer {
    let thread = BlockingWork(name: "doctor-polkit")
    do {
      return try await thread.run { try ask(action) }
    } catch BusError.noBus {
      return .missing
    } catch BusError.remote("org.freedesktop.DBus.Error.ServiceUnknown") {
      return .missing
    } catch {
      return .unknown
    }
  }

  private static func ask(_ action: Action) throws(BusError) -> Answer {
    let bus = try BusConnection.open(.system)
    let call = try bus.methodCall(
      to: "org.freedesktop.PolicyKit1", path: "/org/freedesktop/PolicyKit1/Authority",
      interface: "org.freedesktop.PolicyKit1.Authority", method: "CheckAuthorization")
    try call.appendStructure("sa{sv}") { () throws(BusError) in
      try call.append("unix-process")
      // Start time 0: polkit determines it.
      try call.append(["pid": .uint32(UInt32(bitPattern: getpid())), "start-time": .uint64(0)])
    }
    try call.append(action.rawValue)
    // No details, no flags (no password prompt), no cancellation identifier.
    try call.append([String: String]())
    try call.append(UInt32(0))
    try call.append("")
    let reply = try bus.call(call, within: .seconds(3))
    return try reply.readStructure("bba{ss}") { () throws(BusError) in
      let (isAuthorized, wouldAsk) = (try reply.readBool(), try reply.readBool())
      _ = try reply.readStringDictionary()
      return isAuthorized || wouldAsk ? .authorized : .refused
    }
  }

  /// Allows this user to use pcscd and cards from any session.
  static var permission: Correction {
    let rule =
      "polkit.addRule(function(action, subject) { if (subject.user == \(javaScript(Account.name)) && "
      + #"/^org\.debian\.pcsc-lite\.access_(pcsc|card)$/.test(action.id)) return polkit.Result.YES; });"#
    return .root([
      .write(#"printf '%s\n' \#(Shell.word(rule))"#, to: "/etc/polkit-1/rules.d/60-tessera-pcsc.rules")
    ])
  }

  /// Starts polkit, and installs it if necessary.
  static var start: Correction {
    let programs: [String] = ["/usr/lib/polkit-1/polkitd", "/usr/libexec/polkitd"]
    let isInstalled = programs.contains { access($0, X_OK) == 0 }
    guard isInstalled else { return .root([.install(["polkitd"])]) }
    let daemon = SystemDaemon.polkit
    return .root(SystemDaemon.hasSystemd ? daemon.restart : daemon.start)
  }

  /// The text as a JavaScript string literal.
  private static func javaScript(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar -> String in
      let isPlain =
        "-_.".unicodeScalars.contains(scalar) || ("0"..."9").contains(scalar)
        || scalar.isASCII && scalar.properties.isAlphabetic
      return isPlain ? String(scalar) : String(scalar).utf16.map(\.unicodeEscape).joined()
    }
    return "\"\(escaped.joined())\""
  }
}

/// Tessera's polkit action, embedded in the program: the file `Sources/Programs/TesseraDoctor/Rules/org.tessera.policy` of the repository.
package enum PolicyFile {
  /// polkit reads actions from this folder only (polkit(8)).
  static let path = "/usr/share/polkit-1/actions/org.tessera.policy"

  package static var contents: [UInt8] { PackageResources.org_tessera_policy }

  enum State: Equatable { case missing, installed, different }

  static var state: State {
    guard let installed = FileManager.default.contents(atPath: path) else { return .missing }
    return installed.elementsEqual(contents) ? .installed : .different
  }

  /// Installs the file. polkit notices it at once.
  static var installation: Correction {
    .root([.write("\(Shell.word(RuleFile.program)) doctor --policy", to: path)], isOptional: true)
  }
}
