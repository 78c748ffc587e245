import TesseraCore

/// The check digit of a machine readable zone as the bridge's clients compute it: letters in any case; a space counts
/// as a filler.
package enum MrzCheckDigit {
  /// 0 to 9; 0 for an empty text.
  ///
  /// - Throws: `Failure` for a character that is not allowed in a machine readable zone.
  package static func of(_ text: String) throws(Failure) -> Int {
    let characters = text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + UInt8(ascii: "A")
      case UInt8(ascii: " "): UInt8(ascii: "<")
      default: byte
      }
    }
    guard let digit = CheckDigitAlgorithm.value(of: characters) else {
      throw Failure(
        .malformedMRZ, "The text contains a character that a machine readable zone cannot have.",
        remedy: "Use A to Z, 0 to 9 and < only.")
    }
    return digit
  }
}
