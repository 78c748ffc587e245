/// The arguments that a format string takes (fprintf(3), and `%@` of Foundation), by their position. Two format strings
/// with equal placeholders can be used with the same arguments.
///
/// A percent sign that begins no valid placeholder counts as one of its own kind, so that a text with it equals only
/// another text with it.
struct Placeholders: Equatable {
  /// What an argument is: the conversion, with its length.
  private enum Argument: Equatable {
    case signed(length: Substring)
    case unsigned(length: Substring)
    case float(length: Substring)
    case other(Character, length: Substring)
  }

  private var byPosition: [Int: [Argument]] = [:]
  private var malformedCount = 0

  private static let maximumPosition = 99

  init(_ format: String) {
    guard format.utf8.contains(UInt8(ascii: "%")) else { return }
    var rest = format[...]
    var next = 1
    while let percent = rest.unicodeScalars.firstIndex(of: "%") {
      rest = rest[rest.unicodeScalars.index(after: percent)...]
      if rest.unicodeScalars.first == "%" {
        rest = rest.unicodeScalars.dropFirst().asSubstring
        continue
      }
      if !add(&rest, &next) { malformedCount += 1 }
    }
  }

  /// Reads what follows a percent sign.
  ///
  /// - Returns: false if it is no placeholder.
  private mutating func add(_ rest: inout Substring, _ next: inout Int) -> Bool {
    var scalars = rest.unicodeScalars
    defer { rest = Substring(scalars) }
    var position = Self.position(&scalars)
    _ = Self.take(&scalars) { "-+ #0'I".unicodeScalars.contains($0) }
    guard width(&scalars, &next) else { return false }
    if scalars.first == "." {
      scalars.removeFirst()
      guard width(&scalars, &next) else { return false }
    }
    let length = Self.take(&scalars) { "hlqjztL".unicodeScalars.contains($0) }
    guard let conversion = scalars.popFirst() else { return false }
    if position == nil {
      position = next
      next += 1
    }
    guard let argument = Self.argument(conversion, length), let position else { return false }
    byPosition[position, default: []].append(argument)
    return true
  }

  /// Digits, or an asterisk, which takes an argument.
  private mutating func width(_ scalars: inout Substring.UnicodeScalarView, _ next: inout Int) -> Bool {
    guard scalars.first == "*" else {
      _ = Self.take(&scalars) { "0"..."9" ~= $0 }
      return true
    }
    scalars.removeFirst()
    if let position = Self.position(&scalars) {
      byPosition[position, default: []].append(.signed(length: ""))
    } else {
      byPosition[next, default: []].append(.signed(length: ""))
      next += 1
    }
    return true
  }

  /// `digits$`.
  private static func position(_ scalars: inout Substring.UnicodeScalarView) -> Int? {
    var ahead = scalars
    let digits = take(&ahead) { "0"..."9" ~= $0 }
    guard ahead.first == "$", let position = Int(digits), 1...maximumPosition ~= position else { return nil }
    ahead.removeFirst()
    scalars = ahead
    return position
  }

  private static func argument(_ conversion: Unicode.Scalar, _ length: Substring) -> Argument? {
    switch conversion {
    case "d", "i": .signed(length: length)
    case "u", "o", "x", "X": .unsigned(length: length)
    case "a", "A", "e", "E", "f", "F", "g", "G": .float(length: length)
    case "@", "c", "C", "s", "S", "p", "n", "D", "U", "O": .other(Character(conversion), length: length)
    default: nil
    }
  }

  private static func take(
    _ scalars: inout Substring.UnicodeScalarView, while matches: (Unicode.Scalar) -> Bool
  ) -> Substring {
    let taken = scalars.prefix(while: matches)
    scalars = scalars[taken.endIndex...]
    return Substring(taken)
  }
}

extension Substring.UnicodeScalarView {
  fileprivate var asSubstring: Substring { Substring(self) }
}
