/// The rules for subjects. libnats sends any text, and a space or a line end in it would be a command of its own.
enum NATSSubject {
  /// Well below the 4,096 bytes that a server accepts for a whole command line.
  static let maximumLength = 1024

  /// Whether messages can be sent to this subject: tokens of visible characters, without wildcards.
  static func isValid(_ subject: String) -> Bool {
    isPattern(subject) && !subject.utf8.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: ">") }
  }

  /// Whether the subject can be subscribed: `*` and `>` may be whole tokens, `>` the last one.
  static func isPattern(_ subject: String) -> Bool {
    guard subject.utf8.count <= maximumLength else { return false }
    let tokens = subject.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return tokens.enumerated().allSatisfy { number, token in
      guard !token.isEmpty, token.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return false }
      guard token.contains(UInt8(ascii: "*")) || token.contains(UInt8(ascii: ">")) else { return true }
      return token.count == 1 && (token.first == UInt8(ascii: "*") || number == tokens.count - 1)
    }
  }

  /// Whether the text can be the name of a queue group.
  static func isQueue(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= maximumLength && name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
  }
}
