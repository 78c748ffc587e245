import Glibc

/// For each character of a zone, the logarithms of the probabilities of what it is; sums of them, if there are several
/// pictures. The memory is overwritten before it is freed.
struct ZoneScores: Sendable {
  let rows: Int
  let columns: Int
  private let storage: Storage

  private final class Storage: Sendable {
    let values: [Float]

    init(_ values: [Float]) { self.values = values }

    deinit {
      // The array is this object's alone: nothing returns it.
      values.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        explicit_bzero(UnsafeMutableRawPointer(mutating: start), bytes.count)
      }
    }
  }

  /// - Parameter values: the values of all characters of all places, row by row.
  init?(rows: Int, columns: Int, _ values: [Float]) {
    guard values.count == rows * columns * ZoneCharacter.count else { return nil }
    self.rows = rows
    self.columns = columns
    storage = Storage(values)
  }

  func value(_ row: Int, _ column: Int, _ character: Int) -> Float {
    storage.values[(row * columns + column) * ZoneCharacter.count + character]
  }

  /// The most probable character at a place, `none` excepted.
  func best(_ row: Int, _ column: Int) -> Int {
    (0..<ZoneCharacter.none).max { value(row, column, $0) < value(row, column, $1) } ?? ZoneCharacter.filler
  }

  /// The mean logarithm of the probability of the most probable characters.
  var likelihood: Float {
    var sum: Float = 0
    for row in 0..<rows { for column in 0..<columns { sum += value(row, column, best(row, column)) } }
    return sum / Float(rows * columns)
  }

  func adding(_ other: ZoneScores, times factor: Float) -> ZoneScores? {
    ZoneScores(
      rows: rows, columns: columns, zip(storage.values, other.storage.values).map { $0 + factor * $1 })
  }

  /// How much less probable this one's characters are in the other picture than that one's, as a mean of logarithms.
  func disagreement(with other: ZoneScores) -> Float {
    var sum: Float = 0
    for row in 0..<rows {
      for column in 0..<columns {
        sum += other.value(row, column, other.best(row, column)) - other.value(row, column, best(row, column))
      }
    }
    return sum / Float(rows * columns)
  }
}
