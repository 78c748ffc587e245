extension String {
  /// Whether the text can be a name of the protocol: ASCII of at most 64 bytes, which is quick to compare.
  var isProtocolName: Bool { utf8.count <= 64 && utf8.allSatisfy { $0 < 0x80 } }

  /// The name as a message quotes it. nil for what has other characters than names, and could be taken for a part of the
  /// message.
  var quotedName: String? {
    guard isProtocolName, !isEmpty, allSatisfy({ $0.isLetter || $0.isNumber || "._-".contains($0) }) else { return nil }
    return "`\(self)`"
  }
}

extension RawRepresentable where RawValue == String {
  /// The case with this raw value, for text from content.
  init?(protocolName name: String) {
    guard name.isProtocolName else { return nil }
    self.init(rawValue: name)
  }
}
