internal import CTesseraLibNFC
import TesseraSmartCard

/// A return value of libnfc (nfc.h, "Error codes"). The USB drivers also return negated values of `errno`.
struct LibNFCStatus: Equatable {
  let code: Int32

  init(_ code: Int32) { self.code = code }

  /// The connection to the device failed, or its response is malformed.
  static let inputOutput = LibNFCStatus(-1)
  static let invalidArgument = LibNFCStatus(-2)
  static let notSupported = LibNFCStatus(-3)
  static let noSuchDevice = LibNFCStatus(-4)
  static let overflow = LibNFCStatus(-5)
  static let timeout = LibNFCStatus(-6)
  static let aborted = LibNFCStatus(-7)
  static let targetReleased = LibNFCStatus(-10)
  /// The chip received no response from the card, or a malformed one.
  static let transmission = LibNFCStatus(-20)
  static let chip = LibNFCStatus(-90)

  /// Whether the call succeeded; the value is then a count.
  var isSuccess: Bool { code >= 0 }

  /// Whether the chip reports a problem of the card. All other errors are of the connection to the chip.
  var concernsCard: Bool {
    [Self.transmission, .targetReleased, .chip, .invalidArgument, .overflow, .notSupported, LibNFCStatus(-30)]
      .contains(self)
  }
}
