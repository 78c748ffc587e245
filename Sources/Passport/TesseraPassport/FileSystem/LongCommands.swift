import TesseraSmartCard

/// The form in which commands too long for a short APDU are sent, and whether the chip or the reader has refused it.
struct LongCommands {
  enum Form {
    /// One command with extended length fields (ISO/IEC 7816-4, 5.2).
    case extendedLength
    /// A chain of short commands (ISO/IEC 7816-4, 5.3.3).
    case chained
  }

  private(set) var form = Form.extendedLength
  /// The longest data that the reader can carry in one command; nil for a reader that carries short commands only.
  let readerLimit: Int?

  /// Data objects that secure messaging adds to a command, in bytes, rounded up.
  private static let protectionOverhead = 64

  /// - Parameters:
  ///   - readerLimit: nil for a reader that carries short commands only.
  ///   - chipRefusesExtendedLength: whether the chip is known not to support extended length.
  init(readerLimit: Int?, chipRefusesExtendedLength: Bool) {
    self.readerLimit = readerLimit
    form = readerLimit == nil || chipRefusesExtendedLength ? .chained : .extendedLength
  }

  /// Before anything is known of chip and reader.
  init() { readerLimit = nil }

  /// Records that the chip or the reader does not support extended length.
  mutating func recordExtendedLengthRefused() { form = .chained }

  /// Changes to the other form if the chip's answer says that it does not support this one.
  ///
  /// - Parameter dataLength: bytes of command data.
  /// - Returns: whether the form was changed, so that the command can be sent again.
  mutating func changeForm(after status: StatusWord, dataLength: Int) -> Bool {
    switch form {
    case .chained:
      guard status == .commandChainingNotSupported || status == .classNotSupported,
        let readerLimit, dataLength + Self.protectionOverhead <= readerLimit
      else { return false }
      form = .extendedLength
    case .extendedLength:
      guard status == .wrongLength else { return false }
      form = .chained
    }
    return true
  }
}
