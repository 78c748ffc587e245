import Glibc

/// The arguments that a format string takes (fprintf(3), and `%@` of Foundation), by their position. Two format strings
/// with equal placeholders can be used with the same arguments.
///
/// A percent sign that begins no valid placeholder counts with the text that it consumes: a library may take it for a
/// placeholder that is unknown here (`%b`), or end the process (`%1000$d`). So a text with one equals only a text
/// with the same one at the same argument.
///
/// A text whose only percent signs are bare ones, as in "50% off", has no placeholders.
///
/// Only a hash of them is kept. It is a sum, since their order does not matter, and its seed is random: no server can
/// choose a text whose hash is that of another one. Making it allocates nothing.
struct Placeholders: Equatable {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  private(set) var hash: UInt64 = 0
  /// The hash of each placeholder, if somebody asked for them.
  private var parts: [UInt64]?

  private static let maximumPosition = 99
  /// A wider field would be a way to use up the memory of a program.
  private static let maximumWidthDigits = 3

  init(_ format: Bytes) { self.init(format, keepingParts: false) }

  private init(_ format: Bytes, keepingParts: Bool) {
    if keepingParts { parts = [] }
    var rest = format[...]
    var next = 1
    var hasPlaceholder = false
    while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
      rest = rest[(percent + 1)...]
      guard rest.first != UInt8(ascii: "%") else {
        rest = rest.dropFirst()
        continue
      }
      if !Self.isBare(rest) { hasPlaceholder = true }
      let (start, first) = (rest.startIndex, next)
      if !add(&rest, &next) {
        // The number of the argument that it may take, and what it consumes.
        add(kind: 0, position: first, Bytes(rebasing: format[start..<rest.startIndex]))
      }
    }
    if !hasPlaceholder { hash = 0 }
  }

  /// Whether a form of a text reads only arguments that the text reads: "one item" beside "%d items". A program formats
  /// each form of a text with placeholders, so that a bare percent sign in one counts as what it could be.
  static func isForm(_ form: String, of text: String) -> Bool {
    func placeholders(_ text: String) -> Placeholders {
      var text = text
      return text.withUTF8 { Placeholders($0, keepingParts: true) }
    }
    let (form, text) = (placeholders(form), placeholders(text))
    guard text.hash != 0 else { return form.hash == 0 }
    return Set(form.parts ?? []).isSubset(of: text.parts ?? [])
  }

  /// Whether a percent sign stands before a space, a closing mark or the end, as in "50 % off" or "(50%)". A text with such
  /// ones only is no format string, although `% o` could be a placeholder. Beside a placeholder they count as such.
  private static func isBare(_ rest: Slice<Bytes>) -> Bool {
    guard let byte = rest.first else { return true }
    if byte == UInt8(ascii: ".") { return rest.dropFirst().first.map { $0 == UInt8(ascii: " ") } ?? true }
    return byte >= 0x80 || marks.contains(byte)
  }

  private static let marks: StaticString = " \n\t),;:!?\"<]}"

  init(_ format: String) {
    var format = format
    self = format.withUTF8 { Placeholders($0) }
  }

  /// Reads what follows a percent sign.
  ///
  /// - Returns: false if it is no placeholder.
  private mutating func add(_ rest: inout Slice<Bytes>, _ next: inout Int) -> Bool {
    var position = Self.position(&rest)
    _ = Self.take(&rest) { Self.flags.contains($0) }
    guard width(&rest, &next) else { return false }
    if rest.first == UInt8(ascii: ".") {
      rest = rest.dropFirst()
      guard width(&rest, &next) else { return false }
    }
    let length = Self.take(&rest) { Self.lengths.contains($0) }
    guard let conversion = rest.first else { return false }
    // A longer character is consumed as a whole.
    rest = rest.dropFirst()
    while let byte = rest.first, byte & 0xC0 == 0x80 { rest = rest.dropFirst() }
    if position == nil {
      position = next
      next += 1
    }
    guard let kind = Self.kind(conversion), let position else { return false }
    add(kind: kind, position: position, length)
    return true
  }

  private mutating func add(kind: UInt8, position: Int, _ detail: Bytes) {
    let place = UInt64(truncatingIfNeeded: position) << 8 | UInt64(kind)
    let part = KeyHash.of(place, KeyHash.of(detail))
    hash &+= part
    parts?.append(part)
  }

  /// Digits, or an asterisk, which takes an argument.
  private mutating func width(_ rest: inout Slice<Bytes>, _ next: inout Int) -> Bool {
    guard rest.first == UInt8(ascii: "*") else {
      return Self.take(&rest, while: Self.isDigit).count <= Self.maximumWidthDigits
    }
    rest = rest.dropFirst()
    let position = Self.position(&rest)
    add(kind: UInt8(ascii: "d"), position: position ?? next, Bytes(start: nil, count: 0))
    if position == nil { next += 1 }
    return true
  }

  /// `digits$`.
  private static func position(_ rest: inout Slice<Bytes>) -> Int? {
    var ahead = rest
    let digits = take(&ahead, while: isDigit)
    guard ahead.first == UInt8(ascii: "$"), 1...2 ~= digits.count else { return nil }
    let position = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    guard 1...maximumPosition ~= position else { return nil }
    rest = ahead.dropFirst()
    return position
  }

  /// One letter for all conversions that take the same argument.
  private static func kind(_ conversion: UInt8) -> UInt8? {
    switch conversion {
    case UInt8(ascii: "d"), UInt8(ascii: "i"): UInt8(ascii: "d")
    case UInt8(ascii: "u"), UInt8(ascii: "o"), UInt8(ascii: "x"), UInt8(ascii: "X"): UInt8(ascii: "u")
    case _ where floats.contains(conversion): UInt8(ascii: "f")
    case _ where others.contains(conversion): conversion
    default: nil
    }
  }

  private static let flags: StaticString = "-+ #0'I"
  private static let lengths: StaticString = "hlqjztL"
  private static let floats: StaticString = "aAeEfFgG"
  private static let others: StaticString = "@cCsSpnDUO"

  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  private static func take(_ rest: inout Slice<Bytes>, while matches: (UInt8) -> Bool) -> Bytes {
    let end = rest.firstIndex { !matches($0) } ?? rest.endIndex
    let taken = Bytes(rebasing: rest[..<end])
    rest = rest[end...]
    return taken
  }
}

extension StaticString {
  fileprivate func contains(_ byte: UInt8) -> Bool {
    UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount).contains(byte)
  }
}

/// The hash of keys: each step multiplies eight bytes into the state and folds the 128 bits of the product, as wyhash
/// does. The seed is random, so that no server can choose keys that collide.
enum KeyHash {
  private static let seed = UInt64.random(in: .min ... .max)
  private static let multiplier: UInt64 = 0xA076_1D64_78BD_642F
  private static let lengthMultiplier: UInt64 = 0xE703_7ED1_A0B4_28DB

  static func of(_ key: UnsafeBufferPointer<UInt8>) -> UInt64 {
    guard let start = UnsafeRawPointer(key.baseAddress), !key.isEmpty else { return seed }
    let count = key.count
    var hash = seed
    var offset = 0
    while offset + 8 <= count {
      hash = fold(hash ^ start.loadUnaligned(fromByteOffset: offset, as: UInt64.self), multiplier ^ seed)
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < count {
      rest = rest << 8 | UInt64(start.load(fromByteOffset: offset, as: UInt8.self))
      offset += 1
    }
    return fold(hash ^ rest, lengthMultiplier ^ UInt64(truncatingIfNeeded: count))
  }

  /// The hash of two numbers in this order.
  static func of(_ one: UInt64, _ other: UInt64) -> UInt64 {
    fold(fold(seed ^ one, multiplier ^ seed) ^ other, lengthMultiplier ^ seed)
  }

  private static func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
  }

  static func isEqual(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    guard let one = one.baseAddress, let start = other.baseAddress, other.count > 0 else { return true }
    return memcmp(one, start, other.count) == 0
  }
}
