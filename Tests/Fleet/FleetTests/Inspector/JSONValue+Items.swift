import TesseraBridge

extension JSONValue {
  /// The elements of an array; none of another value.
  var items: [JSONValue] { if case .array(let items) = self { items } else { [] } }
}
