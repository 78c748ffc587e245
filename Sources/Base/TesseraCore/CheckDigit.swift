/// The check digit of machine readable zones (ICAO Doc 9303-3, 4.9): the sum of the characters' values with the weights
/// 7, 3, 1, modulo 10.
package enum CheckDigitAlgorithm {
  /// 0 to 9; 0 for no characters. nil if a character is none of `A` to `Z`, `0` to `9` and `<`.
  ///
  /// - Parameter characters: ASCII.
  package static func value(of characters: some Sequence<UInt8>) -> Int? {
    var (sum, weight) = (0, 7)
    // Of an unknown sequence, every element would be a call.
    for character in Array(characters) {
      let value: Int
      switch character {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = Int(character - UInt8(ascii: "0"))
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = Int(character - UInt8(ascii: "A")) + 10
      case UInt8(ascii: "<"): value = 0
      default: return nil
      }
      sum = (sum + value * weight) % 10
      weight = weight == 7 ? 3 : weight == 3 ? 1 : 7
    }
    return sum
  }
}
