import FoundationEssentials

/// What a NATS server says of itself as soon as a client connects: the line `INFO {…}` (docs.nats.io, client protocol).
/// Its port, its name and all else are another machine's words.
struct ServerGreeting: Equatable {
  /// Longer than the line of a server in a large cluster, which names the others.
  static let maximumLength = 64 << 10

  var version: String
  var name: String
  var hasJetStream: Bool
  var requiresLogin: Bool
  var requiresTLS: Bool
  /// Whether a client may choose TLS.
  var offersTLS: Bool
  /// In bytes; nil if it says nothing of it.
  var maximumPayload: Int?

  private struct Statement: Decodable {
    var version: String
    var name: String?
    var jetStream: Bool?
    var requiresLogin: Bool?
    var requiresTLS: Bool?
    var offersTLS: Bool?
    var maximumPayload: Int?

    private enum CodingKeys: String, CodingKey {
      case version
      case name = "server_name"
      case jetStream = "jetstream"
      case requiresLogin = "auth_required"
      case requiresTLS = "tls_required"
      case offersTLS = "tls_available"
      case maximumPayload = "max_payload"
    }
  }

  /// - Parameter line: the first line of the server, without its end.
  /// - Returns: nil if it is none of a NATS server.
  init?(line: [UInt8]) {
    let word = Array("INFO ".utf8)
    guard line.starts(with: word), line.count <= Self.maximumLength,
      let statement = try? JSONDecoder().decode(Statement.self, from: Data(line.dropFirst(word.count)))
    else { return nil }
    version = statement.version
    name = statement.name ?? ""
    hasJetStream = statement.jetStream ?? false
    requiresLogin = statement.requiresLogin ?? false
    requiresTLS = statement.requiresTLS ?? false
    offersTLS = requiresTLS || (statement.offersTLS ?? false)
    maximumPayload = statement.maximumPayload
  }

  /// Whether the version is at least this one. A text that is no version is not.
  func isAtLeast(_ major: Int, _ minor: Int) -> Bool {
    let parts = version.split(separator: ".").prefix(2).map { Int($0) }
    guard parts.count == 2, let first = parts[0], let second = parts[1] else { return false }
    return (first, second) >= (major, minor)
  }
}
