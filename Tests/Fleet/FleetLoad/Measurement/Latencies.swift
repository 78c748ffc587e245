/// Percentiles of the times of reads.
struct Latencies {
  private let sorted: [Double]

  init(_ milliseconds: [Double]) { sorted = milliseconds.sorted() }

  var count: Int { sorted.count }

  /// The smallest time that this share of the reads does not exceed; nil if there is no read.
  func percentile(_ share: Double) -> Double? {
    guard !sorted.isEmpty else { return nil }
    return sorted[min(sorted.count - 1, max(0, Int((share * Double(sorted.count)).rounded(.up)) - 1))]
  }

  /// p50, p90, p99 and the maximum, in whole milliseconds.
  var text: String {
    [0.5, 0.9, 0.99, 1].map { share in percentile(share).map { "\(Int($0.rounded()))" } ?? "-" }
      .joined(separator: "/")
  }
}
