package import Metrics

/// Counts verdicts by what was judged and how it ended, and nothing else of a document: `tessera_verdicts_total`. The
/// service and the kiosk have the same figure.
package struct VerdictCounter: Sendable {
  /// What was judged.
  package enum Document: String, Sendable {
    case passport, seal
  }

  /// Outcomes as the bridge names them. Another one is no verdict, and its text is not made a label.
  package static let outcomes = ["genuine", "notGenuine", "notEstablished"]

  private let factory: any MetricsFactory

  package init(_ factory: any MetricsFactory) { self.factory = factory }

  /// Counts one verdict.
  ///
  /// - Parameter outcome: nil if nothing was judged.
  package func count(_ outcome: String?, of document: Document) {
    guard let outcome, Self.outcomes.contains(outcome) else { return }
    counter(outcome, document).increment()
  }

  /// Lets the figures of a document begin at zero, so that a first verdict is an increase.
  package func begin(_ document: Document) {
    for outcome in Self.outcomes { counter(outcome, document).increment(by: 0) }
  }

  private func counter(_ outcome: String, _ document: Document) -> Counter {
    let dimensions = [("document", document.rawValue), ("outcome", outcome)]
    return Counter(label: "tessera_verdicts_total", dimensions: dimensions, factory: factory)
  }
}
