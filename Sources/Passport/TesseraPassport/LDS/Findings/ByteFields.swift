/// Reads fields of fixed length from the start of an element. Numbers are big-endian.
struct ByteFields {
  let element: FileElement
  private(set) var rest: ArraySlice<UInt8>

  init(_ element: FileElement) {
    self.element = element
    rest = element.value
  }

  mutating func bytes(_ count: Int, _ name: String) throws(FileFinding) -> ArraySlice<UInt8> {
    guard count >= 0, count <= rest.count else { throw element.finding(name, .truncated) }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// An unsigned number.
  mutating func number<Number: FixedWidthInteger & UnsignedInteger>(
    _ name: String, as type: Number.Type = Number.self
  ) throws(FileFinding) -> Number {
    let field = try bytes(Number.bitWidth / 8, name)
    return field.reduce(0) { Number(truncatingIfNeeded: UInt64($0) << 8) | Number($1) }
  }

  /// An unsigned number of `count` bytes, at most seven.
  mutating func number(bytes count: Int, _ name: String) throws(FileFinding) -> Int {
    try bytes(count, name).reduce(0) { $0 << 8 | Int($1) }
  }
}

extension [UInt8] {
  /// The last `count` bytes of a number, big-endian.
  static func bigEndian(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }
}
