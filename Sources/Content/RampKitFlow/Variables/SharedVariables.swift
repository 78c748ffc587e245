package import TesseraJSON

/// The variables that the pages of a flow share, and the rule which page may write them when.
///
/// A page that becomes active may still send values that it had before it received the newest ones. So for
/// `staleWindow` after variables were sent to a page, an empty value of that page does not replace a value; and what a page
/// sends that is not shown is dropped in that time. Times are those of one monotonic clock.
package struct SharedVariables: Sendable {
  /// The time after a delivery in which a page may send older values.
  package static let staleWindow = Duration.milliseconds(600)

  /// One accepted change.
  package struct Change: Sendable, Equatable {
    package var name: String
    package var old: JSONValue?
    package var new: JSONValue
  }

  package private(set) var values: JSONObject
  /// The variables without those of the host, which are no answers of the user.
  package var answers: JSONObject {
    values.members.reduce(into: JSONObject()) { answers, member in
      if !VariableName.isReadOnly(member.name) { answers[member.name] = member.value }
    }
  }

  /// The bytes of all names and values as JSON.
  private var size = 0
  /// When variables were last sent to a page, by its index.
  private var deliveries: [Int: Duration] = [:]

  /// - Parameter state: the variables of the flow. Those without a value are undefined.
  package init(_ state: [OnboardingVariable] = []) {
    values = JSONObject()
    for variable in state {
      if let value = variable.initialValue { _ = set(variable.name, value) }
    }
  }

  /// Variables were sent to a page.
  package mutating func delivered(to page: Int, at time: Duration) { deliveries[page] = time }

  /// Takes what a page sent.
  ///
  /// - Returns: the variables that have another value now.
  package mutating func merge(
    _ incoming: JSONObject, from page: Int, isActive: Bool, at time: Duration
  ) -> [Change] {
    let isInWindow = deliveries[page].map { time - $0 < Self.staleWindow } ?? false
    guard isActive || !isInWindow else { return [] }
    var changes: [Change] = []
    for member in incoming.members where !VariableName.isReadOnly(member.name) {
      let old = values[member.name]
      guard old != member.value, !(isInWindow && Self.isEmpty(member.value) && !Self.isEmpty(old)) else { continue }
      if let change = set(member.name, member.value) { changes.append(change) }
    }
    return changes
  }

  /// Sets a variable of the host, which may be one that pages only read.
  ///
  /// - Returns: the change; nil if the value is the same, or if the variables would exceed `FlowLimits`.
  package mutating func set(_ name: String, _ value: JSONValue) -> Change? {
    let old = values[name]
    guard old != value, old != nil || values.count < FlowLimits.variables else { return nil }
    let newSize = size - (old.map { Self.size(name, $0) } ?? 0) + Self.size(name, value)
    guard newSize <= FlowLimits.variablesSize else { return nil }
    size = newSize
    values[name] = value
    return Change(name: name, old: old, new: value)
  }

  private static func size(_ name: String, _ value: JSONValue) -> Int { name.utf8.count + value.text.utf8.count }

  /// Whether a value counts as none: undefined, null, an empty text.
  private static func isEmpty(_ value: JSONValue?) -> Bool {
    guard let value else { return true }
    return value == .null || value == .string("")
  }
}

/// The names of variables.
enum VariableName {
  /// Variables of the host, which pages can read only.
  static let readOnlyPrefix = "onboarding."

  /// By bytes: `hasPrefix` takes long for a name with many combining marks, which a page can send.
  static func isReadOnly(_ name: String) -> Bool { name.utf8.starts(with: readOnlyPrefix.utf8) }
}
