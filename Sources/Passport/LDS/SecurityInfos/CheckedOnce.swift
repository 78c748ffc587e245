/// What checking a chip's own domain parameters or keys gave, by their bytes. To tell that a number is prime takes up to
/// a second, and a file can list hundreds of entries: each is checked once, and no more than any document has.
struct CheckedOnce<Value> {
  private var results: [[UInt8]: Result<Value, any Error>] = [:]

  /// - Throws: `TooManyParameters`; what `check` throws, each time.
  mutating func value(of bytes: [UInt8], _ check: () throws -> Value) throws -> Value {
    if let known = results[bytes] { return try known.get() }
    guard results.count < TooManyParameters.limit else { throw TooManyParameters() }
    let result = Result { try check() }
    results[bytes] = result
    return try result.get()
  }
}

/// There are more domain parameters or keys than are looked at.
struct TooManyParameters: Error {
  static let limit = 8
  /// Goes on after what was left out.
  let sentence = "no more than \(limit) sets of parameters or keys of a chip's own are looked at"
}
