/// The status word `SW1 SW2` of a response (ISO/IEC 7816-4, 5.6).
public struct StatusWord: RawRepresentable, Sendable, Hashable {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public init(_ rawValue: UInt16) { self.rawValue = rawValue }

  public var sw1: UInt8 { UInt8(rawValue >> 8) }
  public var sw2: UInt8 { UInt8(rawValue & 0xFF) }

  public static let success = StatusWord(0x9000)
  public static let endOfFile = StatusWord(0x6282)
  public static let authenticationFailed = StatusWord(0x6300)
  public static let wrongLength = StatusWord(0x6700)
  public static let secureMessagingNotSupported = StatusWord(0x6882)
  public static let commandChainingNotSupported = StatusWord(0x6884)
  public static let securityStatusNotSatisfied = StatusWord(0x6982)
  public static let authenticationBlocked = StatusWord(0x6983)
  public static let conditionsNotSatisfied = StatusWord(0x6985)
  public static let noCurrentFile = StatusWord(0x6986)
  public static let secureMessagingObjectsMissing = StatusWord(0x6987)
  public static let secureMessagingObjectsIncorrect = StatusWord(0x6988)
  public static let wrongData = StatusWord(0x6A80)
  public static let functionNotSupported = StatusWord(0x6A81)
  public static let fileNotFound = StatusWord(0x6A82)
  public static let incorrectParameters = StatusWord(0x6A86)
  /// `Lc` does not fit P1 and P2.
  public static let inconsistentLength = StatusWord(0x6A87)
  public static let referencedDataNotFound = StatusWord(0x6A88)
  public static let offsetBeyondFile = StatusWord(0x6B00)
  public static let instructionNotSupported = StatusWord(0x6D00)
  public static let classNotSupported = StatusWord(0x6E00)
  public static let unspecifiedError = StatusWord(0x6F00)

  /// Whether the response contains data: 9000, or a warning (62xx, 63xx).
  package var deliversData: Bool { self == .success || sw1 == 0x62 || sw1 == 0x63 }

  /// The number of remaining tries in a status word 63Cx.
  public var triesLeft: Int? { rawValue & 0xFFF0 == 0x63C0 ? Int(rawValue & 0x0F) : nil }

  /// The `Le` in a status word 6Cxx; 00 means 256.
  package var proposedLength: Int? { sw1 == 0x6C ? (sw2 == 0 ? 256 : Int(sw2)) : nil }
}

extension StatusWord: CustomStringConvertible {
  /// Four hexadecimal digits.
  public var description: String { [sw1, sw2].hexadecimal }
}
