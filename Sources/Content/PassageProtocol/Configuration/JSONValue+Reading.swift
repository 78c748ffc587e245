internal import TesseraJSON

/// Reads members that may have a wrong type: they count as absent.
extension JSONValue {
  var boolValue: Bool? {
    guard case .bool(let flag) = self else { return nil }
    return flag
  }

  /// No value for null. (The literal `nil` would be null again, since a value can be written so.)
  var ifPresent: JSONValue? {
    guard case .null = self else { return self }
    return Optional.none
  }

  /// A text that can be a name of the protocol. Longer ones are not compared: comparing long texts takes long.
  var name: String? { stringValue.flatMap { $0.utf8.count <= 64 ? $0 : nil } }

  /// A number of any form.
  var doubleValue: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .number(let number): number.double
    default: nil
    }
  }

  var objectValue: JSONObject? {
    guard case .object(let members) = self else { return nil }
    return members
  }

  var arrayValue: [JSONValue]? {
    guard case .array(let elements) = self else { return nil }
    return elements
  }

  /// The texts of an array. Elements of another type are left out.
  var texts: [String]? { arrayValue?.compactMap(\.stringValue) }
  /// The objects of an array. Elements of another type are left out.
  var objects: [JSONObject]? { arrayValue?.compactMap(\.objectValue) }
}

extension String {
  /// Whether the text has these bytes of UTF-8 one after another.
  func hasBytes(containing part: StaticString) -> Bool {
    part.withUTF8Buffer { part in
      guard let first = part.first else { return true }
      var rest = Array(utf8)[...]
      while let index = rest.firstIndex(of: first) {
        rest = rest[index...]
        if rest.starts(with: part) { return true }
        rest = rest.dropFirst()
      }
      return false
    }
  }

  /// The beginning of the text without control characters, for logs and windows.
  func shortened(to length: Int) -> String {
    let scalars = unicodeScalars.prefix(length)
    return String(
      String.UnicodeScalarView(
        scalars.map { scalar in
          [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
            ? " " : scalar
        }))
  }
}
