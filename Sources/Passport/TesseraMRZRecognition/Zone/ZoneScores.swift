internal import TesseraPictures

/// For each character of a zone, the logarithms of the probabilities of what it is; sums of them, if there are several
/// pictures. The memory is overwritten before it is freed.
struct ZoneScores: Sendable {
  let rows: Int
  let columns: Int
  private let storage: WipedMemory<Float>

  /// - Parameter initialize: writes the values of all characters of all places, row by row.
  init(rows: Int, columns: Int, initializingWith initialize: (UnsafeMutableBufferPointer<Float>) -> Void) {
    self.rows = rows
    self.columns = columns
    storage = WipedMemory(
      repeating: 0, count: rows * columns * ZoneCharacter.count, initializingWith: initialize)
  }

  func value(_ row: Int, _ column: Int, _ character: Int) -> Float {
    storage[(row * columns + column) * ZoneCharacter.count + character]
  }

  /// - Parameter cell: the number of the place, row by row.
  func value(_ cell: Int, _ character: Int) -> Float { storage[cell * ZoneCharacter.count + character] }

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

  /// The sum with the scores of another picture of as many rows and columns.
  func added(to other: ZoneScores) -> ZoneScores {
    ZoneScores(rows: rows, columns: columns) { sums in
      for index in sums.indices { sums[index] = storage[index] + other.storage[index] }
    }
  }

  func scaled(by factor: Float) -> ZoneScores {
    ZoneScores(rows: rows, columns: columns) { products in
      for index in products.indices { products[index] = factor * storage[index] }
    }
  }

  /// Whether the other picture shows another character at some place, and both are sure of theirs.
  func contradicts(_ other: ZoneScores, by limit: Float) -> Bool {
    for row in 0..<rows {
      for column in 0..<columns {
        let (mine, theirs) = (best(row, column), other.best(row, column))
        if mine != theirs, value(row, column, mine) - value(row, column, theirs) > limit,
          other.value(row, column, theirs) - other.value(row, column, mine) > limit
        {
          return true
        }
      }
    }
    return false
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
