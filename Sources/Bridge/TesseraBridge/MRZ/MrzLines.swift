/// Finds the lines of a machine readable zone in the text of a picture (the bridge protocol, section camera).
public enum MrzLines {
  /// Returns two lines of 44 characters or three of 30; nil if there is no zone.
  public static func find(in text: String) -> [String]? {
    let lines = candidates(text)
    let long = lines.filter { $0.utf8.count == 44 }
    if long.count >= 2 {
      if let first = long.firstIndex(where: { $0.hasPrefix("P") || $0.hasPrefix("V") }), first + 1 < long.count {
        return [long[first], long[first + 1]]
      }
      return Array(long.suffix(2))
    }
    let short = lines.filter { $0.utf8.count == 30 }
    return short.count >= 3 ? Array(short.suffix(3)) : nil
  }

  /// Returns the part of a zone that the text contains.
  public static func state(of text: String) -> MrzDetectionState {
    if find(in: text) != nil { return .twoMrzLines }
    if candidates(text).contains(where: { [44, 30].contains($0.utf8.count) }) { return .oneMrzLine }
    return text.allSatisfy(\.isWhitespace) ? .noText : .textDetected
  }

  /// The lines that contain only characters of a zone. Spaces, which text recognition inserts, are removed.
  private static func candidates(_ text: String) -> [String] {
    text.split(whereSeparator: \.isNewline)
      .map { $0.filter { !$0.isWhitespace }.uppercased() }
      .filter { !$0.isEmpty && $0.utf8.allSatisfy(isZoneByte) }
  }

  private static func isZoneByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "<"): true
    default: false
    }
  }
}
