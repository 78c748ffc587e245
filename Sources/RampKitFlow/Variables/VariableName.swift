/// The names of variables.
enum VariableName {
  /// Variables of the host, which pages can read only.
  static let readOnlyPrefix = "onboarding."

  static func isReadOnly(_ name: String) -> Bool { name.hasPrefix(readOnlyPrefix) }
}
