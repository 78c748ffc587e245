public import TesseraBridge

/// Which changes of variables are reported as `variable_set`, and when: a person who types a name changes a variable with
/// each letter, and is reported once.
public struct VariableReports: Sendable {
  /// The time without another change after which one is reported.
  public static let idleTime = Duration.milliseconds(1_000)

  public struct Report: Sendable, Equatable {
    public var name: String
    /// The value before the first of the changes.
    public var previous: JSONValue?
    public var new: JSONValue
  }

  private struct Pending {
    var report: Report
    var due: Duration
  }

  private var pending: [Pending] = []

  public init() {}

  /// When the next report is due; nil if there is none.
  public var nextDue: Duration? { pending.map(\.due).min() }

  public mutating func changed(_ change: SharedVariables.Change, at time: Duration) {
    let due = time + Self.idleTime
    if let index = pending.firstIndex(where: { $0.report.name == change.name }) {
      pending[index].report.new = change.new
      pending[index].due = due
    } else {
      pending.append(Pending(report: Report(name: change.name, previous: change.old, new: change.new), due: due))
    }
  }

  /// The person left the field of a variable: it is reported at once.
  public mutating func left(_ name: String) -> Report? {
    guard let index = pending.firstIndex(where: { $0.report.name == name }) else { return nil }
    return pending.remove(at: index).report
  }

  /// The reports that are due.
  public mutating func due(at time: Duration) -> [Report] {
    defer { pending.removeAll { $0.due <= time } }
    return pending.filter { $0.due <= time }.map(\.report)
  }

  /// All reports, at the end of the flow.
  public mutating func all() -> [Report] {
    defer { pending = [] }
    return pending.map(\.report)
  }
}
