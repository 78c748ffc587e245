package import TesseraJSON

/// One packet of Socket.IO 5: the text of an Engine.IO message.
///
/// Its text is a digit for the type, the namespace with a comma (unless it is `/`), the identifier of an acknowledgement
/// in digits, and the payload in JSON; each but the type may be missing. Types 5 and 6 are events and acknowledgements
/// with binary attachments: after the type come the number of the attachments and a hyphen.
package struct SocketPacket: Sendable, Equatable {
  package var namespace: SocketNamespace
  package var content: Content

  package enum Content: Sendable, Equatable {
    /// Type 0. A client asks to join the namespace, perhaps with an object. The server confirms with `{sid}`.
    case connect(JSONObject?)
    /// Type 1: the sender leaves the namespace.
    case disconnect
    /// Type 2. With an identifier, the sender expects an acknowledgement.
    case event(SocketEvent, identifier: AcknowledgementIdentifier?)
    /// Type 3: the response to the event with this identifier.
    case acknowledgement(AcknowledgementIdentifier, [JSONValue])
    /// Type 4: the server refuses the client: `{message, data?}`, or a text in older versions.
    case connectError(message: String)
    /// Type 5: an event of which only the identifier is read. As many binary messages follow as it has attachments: 1 to
    /// `SocketPacket.maximumAttachments`.
    case unreadEvent(attachments: Int, identifier: AcknowledgementIdentifier?)
    /// Type 6: the same for an acknowledgement.
    case unreadAcknowledgement(attachments: Int)
  }

  package init(_ namespace: SocketNamespace, _ content: Content) {
    self.namespace = namespace
    self.content = content
  }

  /// The packet as the data of an Engine.IO message.
  package var text: String {
    switch content {
    case .connect(let data): "0" + namespace.prefix + (data.map { JSONValue.object($0).text } ?? "")
    case .disconnect: "1" + namespace.prefix
    case .event(let event, let identifier):
      "2" + namespace.prefix + (identifier?.text ?? "") + JSONValue.array([.string(event.name)] + event.arguments).text
    case .acknowledgement(let identifier, let values):
      "3" + namespace.prefix + identifier.text + JSONValue.array(values).text
    case .connectError(let message): "4" + namespace.prefix + (["message": .string(message)] as JSONValue).text
    case .unreadEvent(let count, let identifier): "5\(count)-" + namespace.prefix + (identifier?.text ?? "")
    case .unreadAcknowledgement(let count): "6\(count)-" + namespace.prefix
    }
  }
}

/// What connects an acknowledgement with its event: an integer that the sender of the event chose, of up to 53 bits, as
/// JavaScript counts.
package struct AcknowledgementIdentifier: Sendable, Hashable {
  package let number: Int

  package static let maximum = 1 << 53 - 1

  /// nil if the number is negative or too large.
  package init?(_ number: Int) {
    guard 0...Self.maximum ~= number else { return nil }
    self.number = number
  }

  /// - Parameter digits: Decimal digits. Without leading zeros, which no server writes.
  init?(_ digits: Substring.UTF8View) {
    guard 1...16 ~= digits.count, digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
    var number = 0
    for digit in digits {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    self.init(number)
  }

  var text: String { String(number) }

  /// The next identifier. After the last one comes 0 again.
  package var next: AcknowledgementIdentifier {
    AcknowledgementIdentifier(uncheckedNumber: number == Self.maximum ? 0 : number + 1)
  }

  package static let first = AcknowledgementIdentifier(uncheckedNumber: 0)

  private init(uncheckedNumber: Int) { number = uncheckedNumber }
}

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
