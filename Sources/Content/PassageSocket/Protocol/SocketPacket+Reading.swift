internal import TesseraJSON

extension SocketPacket {
  /// The number of values that an event or an acknowledgement may have. Passage's events have one.
  package static let maximumArguments = 64
  /// The number of attachments that a packet may announce.
  package static let maximumAttachments = 256

  /// Reads the data of an Engine.IO message.
  ///
  /// - Throws: `SocketProtocolError`.
  package init(_ text: String, limit: Int = EnginePacket.maximumLength) throws(SocketProtocolError) {
    guard text.utf8.count <= limit else { throw .tooLarge(limit: limit) }
    var rest = Substring(text).utf8
    guard var type = rest.popFirst() else { throw .socketType }
    var attachments = 0
    switch type {
    case UInt8(ascii: "0")...UInt8(ascii: "4"): break
    case UInt8(ascii: "5"), UInt8(ascii: "6"):
      attachments = try Self.attachments(&rest)
      // Without attachments it is an event or an acknowledgement like those of the types 2 and 3.
      type -= 3
    default: throw .socketType
    }
    let namespace = try Self.namespace(&rest)
    let identifier = try Self.identifier(&rest)
    guard attachments == 0 else {
      self.init(
        namespace,
        type == UInt8(ascii: "2")
          ? .unreadEvent(attachments: attachments, identifier: identifier)
          : .unreadAcknowledgement(attachments: attachments))
      return
    }
    let payload = try Self.payload(rest)
    self.init(namespace, try Content(type: type, identifier, payload))
  }

  private static func attachments(_ rest: inout Substring.UTF8View) throws(SocketProtocolError) -> Int {
    let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    rest = rest[digits.endIndex...]
    guard rest.popFirst() == UInt8(ascii: "-"), 1...4 ~= digits.count, let count = Int(Substring(digits)),
      count <= maximumAttachments
    else { throw .attachments }
    return count
  }

  /// A namespace begins with a slash, which no payload does, and ends at a comma or with the packet.
  private static func namespace(_ rest: inout Substring.UTF8View) throws(SocketProtocolError) -> SocketNamespace {
    guard rest.first == UInt8(ascii: "/") else { return .root }
    let end = rest.firstIndex(of: UInt8(ascii: ",")) ?? rest.endIndex
    let name = rest[..<end]
    rest = rest[end...].dropFirst()
    return try SocketNamespace(Substring(name))
  }

  private static func identifier(
    _ rest: inout Substring.UTF8View
  ) throws(SocketProtocolError) -> AcknowledgementIdentifier? {
    let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    guard !digits.isEmpty else { return nil }
    rest = rest[digits.endIndex...]
    guard let identifier = AcknowledgementIdentifier(digits) else { throw .acknowledgementIdentifier }
    return identifier
  }

  private static func payload(_ rest: Substring.UTF8View) throws(SocketProtocolError) -> JSONValue? {
    guard !rest.isEmpty else { return nil }
    do { return try JSONValue(text: Substring(rest)) } catch { throw .json(error) }
  }
}

extension SocketPacket.Content {
  fileprivate init(
    type: UInt8, _ identifier: AcknowledgementIdentifier?, _ payload: JSONValue?
  ) throws(SocketProtocolError) {
    let mayHaveIdentifier = type == UInt8(ascii: "2") || type == UInt8(ascii: "3")
    guard identifier == nil || mayHaveIdentifier else { throw .acknowledgementIdentifier }
    switch (type, payload) {
    case (UInt8(ascii: "0"), nil): self = .connect(nil)
    case (UInt8(ascii: "0"), .object(let data)): self = .connect(data)
    case (UInt8(ascii: "1"), nil): self = .disconnect
    case (UInt8(ascii: "2"), .array(let values)): self = .event(try Self.event(values), identifier: identifier)
    case (UInt8(ascii: "3"), .array(let values)):
      guard let identifier else { throw .acknowledgementIdentifier }
      guard values.count <= SocketPacket.maximumArguments else { throw .payload }
      self = .acknowledgement(identifier, values)
    case (UInt8(ascii: "4"), .string(let message)): self = .connectError(message: message)
    case (UInt8(ascii: "4"), .object(let error)): self = .connectError(message: error["message"]?.stringValue ?? "")
    default: throw .payload
    }
  }

  private static func event(_ values: [JSONValue]) throws(SocketProtocolError) -> SocketEvent {
    guard let name = values.first?.stringValue, values.count <= SocketPacket.maximumArguments + 1 else {
      throw .payload
    }
    guard 1...SocketEvent.maximumName ~= name.utf8.count else { throw .eventName }
    return SocketEvent(name, Array(values.dropFirst()))
  }
}
