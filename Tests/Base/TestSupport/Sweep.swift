import Foundation

/// How much of a table or of a range a test covers where each row is expensive: in processes, in a real pcscd, in a
/// fleet, in a page, or with a change at every place.
///
/// `TESSERA_SWEEP=full` covers everything, as the long run does. By default such a test covers what can differ; the
/// whole table is covered in process.
public enum Sweep {
  /// Whether everything is covered.
  public static let isFull = ProcessInfo.processInfo.environment["TESSERA_SWEEP"] == "full"

  /// - Returns: `all` in a full sweep, otherwise those that `isIncluded` selects.
  public static func rows<Row>(_ all: [Row], _ isIncluded: (Row) -> Bool) -> [Row] {
    isFull ? all : all.filter(isIncluded)
  }

  /// Indices of a long sequence whose ends matter more than its middle, as in a read, which begins with access control
  /// and then repeats one command.
  ///
  /// - Parameters:
  ///   - first: how many indices are taken from the start, and
  ///   - last: from the end.
  ///   - step: one index of so many between them.
  public static func indices(_ count: Int, first: Int, last: Int, step: Int) -> [Int] {
    (0..<count).filter { isFull || Fuzzing.isLong || $0 < first || $0 >= count - last || $0 % step == 0 }
  }

  /// Places in `range`, one at random in each of `count` equal parts: no part of a file is left out.
  public static func places(
    _ count: Int, in range: Range<Int>, using generator: inout SeededGenerator
  ) -> [Int] {
    let count = min(count, range.count)
    return (0..<count).map { part in
      let start = range.lowerBound + range.count * part / count
      let end = range.lowerBound + range.count * (part + 1) / count
      return Int.random(in: start..<max(end, start + 1), using: &generator)
    }
  }
}
