/// A day of which digits may be unknown (ICAO's datastructure for barcodes): a byte with a bit for each digit of MMDDYYYY, the
/// most significant one for the first digit, 1 for an unknown digit; then the big-endian number with the decimal digits, in
/// three bytes. An unknown digit is 0 there.
struct MaskedDate: Sendable, Equatable, CustomStringConvertible {
  /// `YYYY-MM-DD`, with `x` for each unknown digit.
  let description: String
  /// nil if a digit is unknown.
  let day: SealDate?

  /// - Parameter bytes: four bytes, or three of a date without a mask.
  /// - Returns: nil for any other number of bytes, and if the day does not exist. Of a day with unknown digits, only the
  ///   known ones must be those of a number of eight digits.
  init?(_ bytes: some Collection<UInt8>) {
    let hasMask = bytes.count == 4
    guard hasMask || bytes.count == 3 else { return nil }
    let mask = hasMask ? bytes.first ?? 0 : 0
    let number = bytes.suffix(3).reduce(0) { $0 << 8 | Int($1) }
    guard mask != 0 else {
      guard let day = SealDate(bytes: bytes.suffix(3)) else { return nil }
      (self.day, description) = (day, day.description)
      return
    }
    var digits: [Character] = []
    var rest = number
    for position in 0..<8 {
      let isUnknown = mask >> UInt8(position) & 1 == 1
      digits.insert(isUnknown ? "x" : Character(String(rest % 10)), at: 0)
      rest /= 10
    }
    day = nil
    description = String(digits[4...]) + "-" + String(digits[0..<2]) + "-" + String(digits[2..<4])
  }
}
