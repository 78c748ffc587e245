import Glibc

/// The characters of a zone by the numbers of the network's outputs: 0 to 9 digits, 10 to 35 letters, 36 the filler,
/// 37 "no character has its centre here".
enum ZoneCharacter {
  static let count = 38
  static let filler = 36
  static let none = 37

  /// The character of a number; a space for `none`.
  static func ascii(_ number: Int) -> UInt8 {
    switch number {
    case 0...9: UInt8(ascii: "0") + UInt8(number)
    case 10...35: UInt8(ascii: "A") + UInt8(number - 10)
    case filler: UInt8(ascii: "<")
    default: UInt8(ascii: " ")
    }
  }

  static func number(_ ascii: UInt8) -> Int? {
    switch ascii {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(ascii - UInt8(ascii: "0"))
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(ascii - UInt8(ascii: "A")) + 10
    case UInt8(ascii: "<"): filler
    default: nil
    }
  }

  /// The value for check digits (Doc 9303-3, 4.9).
  static func checkValue(_ number: Int) -> Int { number == filler ? 0 : number }

  /// Turns the scores that a network gives into probabilities and adds these to others.
  static func addProbabilities(
    of scores: UnsafeBufferPointer<Float>, to probabilities: UnsafeMutableBufferPointer<Float>
  ) {
    var maximum = -Float.infinity
    for character in 0..<count where scores[character] > maximum { maximum = scores[character] }
    var total: Float = 0
    for character in 0..<count { total += exp(scores[character] - maximum) }
    for character in 0..<count { probabilities[character] += exp(scores[character] - maximum) / total }
  }
}
