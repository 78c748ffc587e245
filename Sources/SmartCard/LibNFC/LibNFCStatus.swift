internal import CLibNFC

/// What libnfc's functions return (nfc.h, "Error codes"). The USB drivers pass on negated numbers of `errno` too.
struct LibNFCStatus: Equatable {
  let code: Int32

  init(_ code: Int32) { self.code = code }

  /// The line to the device, or what came over it.
  static let inputOutput = LibNFCStatus(-1)
  static let invalidArgument = LibNFCStatus(-2)
  static let notSupported = LibNFCStatus(-3)
  static let noSuchDevice = LibNFCStatus(-4)
  static let overflow = LibNFCStatus(-5)
  static let timeout = LibNFCStatus(-6)
  static let aborted = LibNFCStatus(-7)
  static let targetReleased = LibNFCStatus(-10)
  /// The chip has not understood the card, or has not heard it.
  static let transmission = LibNFCStatus(-20)
  static let chip = LibNFCStatus(-90)

  /// Whether something was done; the number is then a count.
  var isSuccess: Bool { code >= 0 }

  /// What the chip itself reports of its card; everything else concerns the way to the chip.
  var concernsCard: Bool {
    [Self.transmission, .targetReleased, .chip, .invalidArgument, .overflow, .notSupported, LibNFCStatus(-30)]
      .contains(self)
  }
}
