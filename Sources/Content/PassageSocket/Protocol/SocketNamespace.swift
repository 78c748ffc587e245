/// A part of a Socket.IO server, which a client joins: a path such as `/ws`, and a query that some clients add to it.
package struct SocketNamespace: Sendable, Hashable {
  /// Begins with a slash. `/` is the namespace that packets without one belong to.
  package let path: String
  /// What follows the question mark; nil without one.
  package let query: String?

  /// In bytes, with the query.
  package static let maximumLength = 256
  package static let root = SocketNamespace(uncheckedPath: "/", query: nil)

  /// - Parameter text: A path that begins with a slash, and perhaps a question mark and a query: visible characters of
  ///   ASCII without commas.
  /// - Throws: `SocketProtocolError.namespace`.
  package init(_ text: some StringProtocol) throws(SocketProtocolError) {
    guard text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= Self.maximumLength,
      text.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ",") })
    else { throw .namespace }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts[0])
    query = parts.count > 1 ? String(parts[1]) : nil
  }

  private init(uncheckedPath: String, query: String?) {
    path = uncheckedPath
    self.query = query
  }

  /// The namespace without its query, as the packets after the first one name it.
  package var withoutQuery: SocketNamespace { SocketNamespace(uncheckedPath: path, query: nil) }

  /// What a packet has between its type and its data.
  var prefix: String {
    guard self != .root else { return "" }
    return query.map { "\(path)?\($0)," } ?? "\(path),"
  }
}
