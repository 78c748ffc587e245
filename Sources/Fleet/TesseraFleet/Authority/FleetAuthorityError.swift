package import TesseraCore

/// The reason why a server's configuration cannot be made.
package enum FleetAuthorityError: Error, Sendable, Equatable {
  /// The text or the file is not the seed of a user or an account.
  case notASeed
  /// The file with the seed belongs to another user, or other users can read it.
  case openToOthers(String)
  /// The text is not the public key of a user or an account.
  case notAPublicKey
  /// A key of another kind than a user's.
  case notAUser(name: String)
  /// A name of a desk or an inspector has other characters than `a` to `z`, `0` to `9` and `-`, or more than 32.
  case badName(String)
  /// Two desks or inspectors have the same name.
  case duplicateName(String)
  /// The same key for two users: the server could not tell them apart.
  case sharedKey(String, String)
  /// A value that the configuration's syntax cannot hold: empty, or with control characters.
  case badValue(setting: String)
  /// The server would accept connections from the network without TLS.
  case unencrypted(address: String)
  /// More desks than one server can take.
  case tooManyDesks(limit: Int)
  /// A cluster needs one or an odd number of servers with different names.
  case badCluster
}

extension FleetAuthorityError: FailureConvertible {
  package var failure: Failure {
    switch self {
    case .notASeed:
      Failure(
        .usage, "This is not the seed of a NATS user.",
        remedy: "Use a file that tessera fleet configure or nsc wrote: one line that begins with SU.")
    case .openToOthers(let path):
      Failure(
        .usage,
        "\(PrintableText.of(path)) belongs to another user, or other users can read it. It has the seed of a key.",
        remedy: "Change its owner to the user of this program, and its mode to 600.")
    case .notAPublicKey:
      Failure(
        .usage, "This is not the public key of a NATS user.",
        remedy: "Copy the whole key: 56 characters that begin with U.")
    case .notAUser(let name):
      Failure(
        .usage, "The key of \(PrintableText.of(name)) is not the key of a user.",
        remedy: "Use a key that begins with U.")
    case .badName(let name):
      Failure(
        .usage, "“\(PrintableText.of(String(name.prefix(64))))” cannot be the name of a desk or an inspector.",
        remedy: "Use 1 to 32 characters of a to z, 0 to 9 and -.")
    case .duplicateName(let name):
      Failure(
        .usage, "The name \(name) is given twice.", remedy: "Give each desk and each inspector a name of its own.")
    case .sharedKey(let first, let second):
      Failure(
        .usage, "\(first) and \(second) have the same key.",
        remedy: "Make a key for each: delete the seed and the public key of one, and configure again.")
    case .badValue(let setting):
      Failure(
        .usage, "The setting \(setting) is empty or has control characters.", remedy: "Use printable characters.")
    case .unencrypted(let address):
      Failure(
        .usage, "The server at \(PrintableText.of(address)) would send personal data over the network without TLS.",
        remedy: "Name a certificate and a key for TLS, or listen at 127.0.0.1. --unencrypted accepts it.")
    case .tooManyDesks(let limit):
      Failure(
        .usage, "One NATS system takes at most \(limit) desks with accounts of their own.",
        remedy: "Divide the desks among several systems.")
    case .badCluster:
      Failure(
        .usage, "A cluster needs an odd number of servers with different names and addresses.",
        remedy: "Use one, three or five servers.")
    }
  }
}
