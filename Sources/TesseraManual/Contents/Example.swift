/// One example of a manual page. The tests run those that need nothing.
struct Example: Sendable {
  /// How the command ends.
  enum End: Sendable {
    case byItself
    /// It runs until SIGTERM.
    case bySignal
  }

  /// The words of the command's page: `tessera key sign`.
  let command: String
  /// What the example does.
  let sentence: String
  /// The lines that a person types into a shell.
  let line: String
  /// What a machine must have for it, as an object of “needs”; nil if it runs everywhere.
  var needs: String?
  var status: Int32 = 0
  /// A regular expression that the output and the messages must match together.
  var output = ""
  /// Shell lines before it, in the same folder, which the page does not show. `$TESTS` is the folder `Tests`.
  var preparation = ""
  var end = End.byItself

  static let all: [Example] = [general, passport, trust, key, web, fleet, passage].flatMap { $0 }
}
