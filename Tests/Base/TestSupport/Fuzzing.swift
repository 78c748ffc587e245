import Foundation

/// Generated hostile inputs. A run of the suite uses the same bounded number each time. `TESSERA_FUZZ_SECONDS` sets a
/// duration instead, with new random numbers.
public enum Fuzzing {
  private static let seconds = ProcessInfo.processInfo.environment["TESSERA_FUZZ_SECONDS"].flatMap(Double.init)

  /// Whether this is a long run.
  public static var isLong: Bool { seconds != nil }

  /// - Returns: How often `body` was run.
  @discardableResult
  public static func manyTimes(
    _ count: Int, of what: String, _ body: (inout SeededGenerator) async throws -> Void
  ) async rethrows -> Int {
    let end = seconds.map { ContinuousClock.now + .seconds($0) }
    let seed = seconds == nil ? 1 : UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    var turns = 0
    repeat {
      for _ in 0..<count { try await body(&generator) }
      turns += count
      // Lets other tests use the pool's threads.
      await Task.yield()
    } while end.map { ContinuousClock.now < $0 } ?? false
    if seconds != nil { print("fuzzing: \(turns) of \(what), seed \(seed)") }
    return turns
  }

  /// Applies a few mutations: changed bytes, cuts, repeated and exchanged parts, runs, extreme values.
  public static func mutated(_ original: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = original
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let place = Int.random(in: 0...bytes.count, using: &generator)
      let length = Int.random(in: 0...min(32, bytes.count - place), using: &generator)
      let piece = bytes[place..<place + length]
      switch Int.random(in: 0..<7, using: &generator) {
      case 0: bytes.removeSubrange(place..<place + length)
      case 1: bytes.insert(contentsOf: piece, at: Int.random(in: 0...bytes.count, using: &generator))
      case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
      case 3: for index in place..<place + length { bytes[index] = UInt8.random(in: 0...255, using: &generator) }
      case 4:
        for index in place..<place + length {
          bytes[index] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
        }
      case 5:
        let byte = place < bytes.count ? bytes[place] : 0
        bytes.insert(contentsOf: [UInt8](repeating: byte, count: Int.random(in: 0..<64, using: &generator)), at: place)
      default: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator) }
      }
    }
    return bytes
  }
}
