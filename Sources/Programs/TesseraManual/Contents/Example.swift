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
  /// What the example does, with a colon at its end.
  let sentence: String
  /// The lines that a person types into a shell.
  let line: String
  /// What a machine must have for it, as an object of “needs”; nil if it runs everywhere.
  var needs: String?
  var status: Int32 = 0
  /// A status that is right, too, since machines differ. The sentence says so.
  var otherStatus: Int32?
  /// A regular expression that the output and the messages must match together.
  var output = ""
  /// Shell lines before it, in the same folder, which the page does not show. `$TESTS` is the folder `Tests`.
  var preparation = ""
  /// The names of files that have content afterwards, which the page does not show.
  var files: [String] = []
  var end = End.byItself

  /// The sentence, and what the reader of the page must know besides.
  var introduction: String {
    var facts: [String] = []
    if let needs { facts.append("This needs \(needs).") }
    if status != 0, !sentence.contains("exit status") { facts.append("The exit status is \(status).") }
    return facts.isEmpty ? sentence : "\(sentence.dropLast()). \(facts.joined(separator: " "))"
  }

  static let all: [Example] = [general, passport, trust, key, web, fleet, passage].flatMap { $0 }
}
