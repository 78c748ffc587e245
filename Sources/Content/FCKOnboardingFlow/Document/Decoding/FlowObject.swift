import TesseraFlowDocument
import TesseraJSON

/// An object of the document and its path.
struct FlowObject {
  let members: JSONObject
  let path: [FlowProblem.Step]

  /// A member. `null` is the same as none.
  subscript(name: String) -> JSONValue? {
    guard let value = members[name], value != .null else { return nil }
    return value
  }

  func path(_ name: String) -> [FlowProblem.Step] { path + [.member(name)] }
}
