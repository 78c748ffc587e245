import FoundationEssentials

/// The members of a JSON object. Of two members with one name, the last one counts (RFC 7515, 4; RFC 7517, 4), whereas
/// `JSONDecoder` reads the first.
struct JSONMembers {
  /// The JSON texts of the values.
  private var values: [String: ArraySlice<UInt8>] = [:]

  /// nil if the text is not a JSON object in UTF-8.
  init?(_ text: some Collection<UInt8>) {
    let text = Array(text)
    guard (try? JSONDecoder().decode(AnyObject.self, from: Data(text))) != nil else { return nil }
    var (depth, index) = (0, text.startIndex)
    var name: String?
    var valueStart = text.startIndex
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "\""):
        let start = index
        index += 1
        while index < text.endIndex, text[index] != UInt8(ascii: "\"") {
          index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        if depth == 1, name == nil {
          guard index < text.endIndex, let decoded = Self.string(text[start...index]) else { return nil }
          name = decoded
        }
      case UInt8(ascii: ":") where depth == 1: valueStart = index + 1
      case UInt8(ascii: ",") where depth == 1:
        if let name { values[name] = text[valueStart..<index] }
        name = nil
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0, let name { values[name] = text[valueStart..<index] }
      default: break
      }
      index += 1
    }
  }

  func contains(_ name: String) -> Bool { values[name] != nil }

  /// The value of a member; nil if it is missing or not a string.
  func string(_ name: String) -> String? { values[name].flatMap(Self.string) }

  private static func string(_ text: ArraySlice<UInt8>) -> String? {
    try? JSONDecoder().decode(String.self, from: Data(text))
  }

  /// Any JSON object.
  private struct AnyObject: Decodable {
    private enum NoKeys: CodingKey {}

    init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: NoKeys.self) }
  }
}
