/// Keys or groups as they come, with what was made of each: a hostile file may name one a hundred times, and to check
/// whether numbers are prime takes a second or two for the longest.
struct CheckedOnce<Encoded: Hashable, Value> {
  private var results: [Encoded: Result<Value, any Error>] = [:]

  mutating func value(of encoded: Encoded, _ check: (Encoded) throws -> Value) throws -> Value {
    let result = results[encoded] ?? Result { try check(encoded) }
    results[encoded] = result
    return try result.get()
  }
}
