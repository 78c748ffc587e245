/// The unit of a measured value.
package enum BenchmarkUnit: String, Codable, Sendable {
  case exchanges
  /// Processor time, unless the name of the row contains "elapsed" or "wait".
  case milliseconds = "ms"
  case mebibytes = "MiB"
  case perSecond = "/s"
  case millions = "M"

  package var moreIsBetter: Bool { self == .perSecond }

  /// A value for a user: three digits say enough of a time.
  package func text(_ value: Double) -> String {
    let digits =
      switch self {
      case .exchanges, .perSecond: 0
      case .mebibytes, .millions: 1
      case .milliseconds: value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0
      }
    return Self.decimal(value, digits: digits)
  }

  /// A dash stands for a value that is not a number or too large for one.
  private static func decimal(_ value: Double, digits: Int) -> String {
    var scale = 1
    for _ in 0..<digits { scale *= 10 }
    let scaled = (value * Double(scale)).rounded()
    guard scaled.magnitude < 1e15 else { return BenchmarkTable.nothing }
    let number = Int(scaled.magnitude)
    let sign = scaled < 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(number)" }
    let fraction = String(number % scale)
    return "\(sign)\(number / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
  }
}
