/// The names of variables.
enum VariableName {
  /// Variables of the host, which pages can read only.
  static let readOnlyPrefix = "onboarding."

  /// By bytes: `hasPrefix` takes long for a name with many combining marks, which a page can send.
  static func isReadOnly(_ name: String) -> Bool { name.utf8.starts(with: readOnlyPrefix.utf8) }
}
