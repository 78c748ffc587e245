internal import TesseraJSON

/// Hides what the user typed into a field for a password (Passage.md, rule 7).
enum PasswordMask {
  /// What takes the place of a password.
  static let mask = "********"

  /// The value of an interaction, with the text of a password field replaced.
  static func masked(_ value: JSONValue) -> JSONValue {
    guard case .object(var members) = value, case .object(var element)? = members["elementInfo"],
      isPassword(element)
    else { return value }
    for name in ["inputValue", "value"] where members[name]?.ifPresent != nil { members[name] = .string(mask) }
    for name in ["value", "inputValue", "defaultValue", "outerHTML"] where element[name]?.ifPresent != nil {
      element[name] = .string(mask)
    }
    members["elementInfo"] = .object(element)
    return .object(members)
  }

  private static func isPassword(_ element: JSONObject) -> Bool {
    ["type", "inputType", "autocomplete"].contains { name in
      element[name]?.name?.lowercased().contains("password") ?? false
    }
  }
}
