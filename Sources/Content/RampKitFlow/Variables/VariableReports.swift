package import TesseraJSON

/// Which changes of variables are reported as `variable_set`, and when: the user who types a name changes a variable with
/// each letter, and is reported once.
package struct VariableReports: Sendable {
  /// The time without another change after which one is reported.
  package static let idleTime = Duration.milliseconds(1_000)

  package struct Report: Sendable, Equatable {
    package var name: String
    /// The value before the first of the changes.
    package var previous: JSONValue?
    package var new: JSONValue
    /// The index of the page that made the last of the changes.
    package var page: Int
  }

  private struct Pending {
    var report: Report
    var due: Duration
    /// Reports come in the order in which their first changes came.
    let number: Int
  }

  private var pending: [UTF8Text: Pending] = [:]
  private var nextNumber = 0

  package init() {}

  /// When the next report is due; nil if there is none.
  package var nextDue: Duration? { pending.values.map(\.due).min() }

  package mutating func changed(_ change: SharedVariables.Change, on page: Int, at time: Duration) {
    let name = UTF8Text(change.name)
    let first = pending[name]
    let previous = if let first { first.report.previous } else { change.old }
    pending[name] = Pending(
      report: Report(name: change.name, previous: previous, new: change.new, page: page), due: time + Self.idleTime,
      number: first?.number ?? nextNumber)
    if first == nil { nextNumber += 1 }
  }

  /// The user left the field of a variable: it is reported at once.
  package mutating func left(_ name: String) -> Report? { pending.removeValue(forKey: UTF8Text(name))?.report }

  /// The reports that are due.
  package mutating func due(at time: Duration) -> [Report] { remove { $0.due <= time } }

  /// All reports, at the end of the flow.
  package mutating func all() -> [Report] { remove { _ in true } }

  private mutating func remove(_ isRemoved: (Pending) -> Bool) -> [Report] {
    let removed = pending.filter { isRemoved($0.value) }
    for name in removed.keys { pending[name] = nil }
    return removed.values.sorted { $0.number < $1.number }.map(\.report)
  }
}
