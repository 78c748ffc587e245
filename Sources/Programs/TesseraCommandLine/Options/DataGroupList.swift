internal import ArgumentParser

/// The value of `--groups`: numbers of data groups, separated by commas.
package enum DataGroupList {
  /// - Throws: `ValidationError` for another text, or for a number outside 1 to 16.
  package static func parse(_ text: String) throws -> Set<Int> {
    let numbers = text.split(separator: ",").map { Int($0.trimmingSpaces) }
    guard !numbers.isEmpty, numbers.allSatisfy({ (1...16).contains($0 ?? 0) }) else {
      throw ValidationError("--groups must be a list of numbers from 1 to 16, separated by commas.")
    }
    return Set(numbers.compactMap { $0 })
  }
}
