/// Numbers as they are stored.
enum DecimalText {
  /// The shortest decimal text without an exponent: `3`, `0.25`. What is not finite is `0`.
  static func text(_ number: Double) -> String {
    guard number.isFinite, number != 0 else { return "0" }
    let sign = number < 0 ? "-" : ""
    // The shortest digits that represent the number, with or without an exponent.
    let parts = number.magnitude.description.split(separator: "e")
    let mantissa = parts[0].split(separator: ".")
    var digits = String(mantissa[0]) + (mantissa.count > 1 && mantissa[1] != "0" ? String(mantissa[1]) : "")
    var point = mantissa[0].utf8.count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
    let zeros = digits.utf8.prefix { $0 == UInt8(ascii: "0") }.count
    digits.removeFirst(zeros)
    point -= zeros
    if point <= 0 { return "\(sign)0.\(String(repeating: "0", count: -point))\(digits)" }
    let missing = point - digits.utf8.count
    if missing >= 0 { return sign + digits + String(repeating: "0", count: missing) }
    return "\(sign)\(digits.prefix(point)).\(digits.dropFirst(point))"
  }
}

extension FlowNumberRange {
  /// The number in a field: the nearest one in the range, of 0 if the text is no number. The buttons of the field count
  /// from it.
  package func value(of text: String, _ format: FlowNumberFormat) -> Double {
    clamped(FlowNumber(text, format)?.value ?? 0)
  }

  /// A range of numbers that are none, or in the wrong order, does not limit.
  func contains(_ number: Double) -> Bool { clamped(number) == number }

  /// The nearest number in the range. A range of numbers that are none, or in the wrong order, does not limit.
  func clamped(_ number: Double) -> Double {
    let (least, most) = (minimum ?? -.infinity, maximum ?? .infinity)
    guard least <= most else { return number }
    return min(max(number, least), most)
  }

  /// What steps from a number reach: the limits of the document, and on a side without one the standard limit. That one
  /// does not hold for a number that the user typed beyond it, or where the other limit is.
  package func reach(from number: Double) -> ClosedRange<Double> {
    let start = clamped(number)
    let every = FlowConfigLimits.number
    let standard = stepRange ?? every
    let isBelow = start < standard.lowerBound || (maximum ?? .infinity) <= standard.lowerBound
    let isAbove = start > standard.upperBound || (minimum ?? -.infinity) >= standard.upperBound
    let least = minimum ?? min(isBelow ? every.lowerBound : standard.lowerBound, start)
    let most = maximum ?? max(isAbove ? every.upperBound : standard.upperBound, start)
    return least <= most ? least...most : every
  }

  /// The number that is so many steps away, as far as they reach. Steps are counted from the least number.
  func stepped(_ number: Double?, by count: Int) -> Double {
    let start = clamped(number ?? 0)
    // A larger number has not all its digits: a step would change them.
    guard step > 0, step.isFinite, FlowConfigLimits.number.contains(start) else { return start }
    let reach = reach(from: start)
    func limited(_ number: Double) -> Double { min(max(number, reach.lowerBound), reach.upperBound) }
    let moved = start + step * Double(count)
    let first = minimum ?? stepRange?.lowerBound ?? 0
    guard first.isFinite, moved.isFinite else { return moved.isFinite ? limited(moved) : start }
    // A sum of steps such as 0.1 has errors in its last digits. The count of steps from the first number has none.
    let steps = ((moved - first) / step).rounded()
    let whole = first + steps * step
    let isOnStep = (whole - moved).magnitude <= step * 1e-6
    return limited(Self.rounded(isOnStep ? whole : moved))
  }

  /// To 12 digits.
  private static func rounded(_ number: Double) -> Double {
    guard number.isFinite, number != 0 else { return number }
    var unit = 1.0
    while number.magnitude * unit < 1e11 && unit < 1e12 { unit *= 10 }
    let rounded = (number * unit).rounded() / unit
    return rounded.isFinite ? rounded : number
  }
}
