import Failures

/// The check digit of the machine readable zone as the bridge's clients compute it: weights 7, 3, 1; letters in any
/// case; a space counts as a filler.
public enum MrzCheckDigit {
  /// 0 to 9; 0 for an empty text.
  ///
  /// - Throws: `Failure` for a character that the zone does not have.
  public static func of(_ text: String) throws(Failure) -> Int {
    var sum = 0
    for (index, byte) in text.utf8.enumerated() {
      let value: Int
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = Int(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = Int(byte - UInt8(ascii: "A")) + 10
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = Int(byte - UInt8(ascii: "a")) + 10
      case UInt8(ascii: "<"), UInt8(ascii: " "): value = 0
      default: throw Failure(.malformedMRZ, "The machine readable zone has no such character.")
      }
      sum = (sum + value * [7, 3, 1][index % 3]) % 10
    }
    return sum
  }
}
