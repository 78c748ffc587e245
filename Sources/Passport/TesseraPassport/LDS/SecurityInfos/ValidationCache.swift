/// Caches the results of validating domain parameters or keys, by their encoding. A primality test takes up to a second
/// and a file can list hundreds of entries, so each is validated once, and their number is limited.
struct ValidationCache<Value> {
  private var results: [[UInt8]: Result<Value, any Error>] = [:]

  /// - Throws: `TooManyParameters`; the error of `check`, also when it is cached.
  mutating func value(of bytes: [UInt8], _ check: () throws -> Value) throws -> Value {
    if let known = results[bytes] { return try known.get() }
    guard results.count < TooManyParameters.limit else { throw TooManyParameters() }
    let result = Result { try check() }
    results[bytes] = result
    return try result.get()
  }
}

/// A chip has more explicit domain parameters or keys than are validated.
struct TooManyParameters: Error {
  static let limit = 8
  /// Completes a sentence about the entry that was left out.
  let sentence = "at most \(limit) explicit parameter sets or keys of a chip are validated"
}
