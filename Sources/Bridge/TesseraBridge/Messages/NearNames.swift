/// The names that a user meant who typed another word.
package enum NearNames {
  /// The most letters that were added, left out or exchanged; of a short word, half of it.
  private static let mostChanges = 2
  /// More names than that help nobody to choose.
  private static let most = 4

  /// The names that resemble the word most; none if the word is none of them by a typing error.
  package static func of(_ word: String, in names: [String]) -> [String] {
    let near = names.map { (name: $0, changes: distance(word, $0)) }
      .filter { $0.changes <= mostChanges && $0.changes * 2 <= min(word.count, $0.name.count) }
    let least = near.map(\.changes).min()
    return near.filter { $0.changes == least }.map(\.name)
  }

  /// The same for names of several parts, of which a user may have typed the first ones: `germany` for `germany-2023`.
  package static func orLonger(_ word: String, in names: [String]) -> [String] {
    let longer = names.filter { $0.hasPrefix("\(word)-") }
    guard !(1...most).contains(longer.count) else { return longer }
    let near = of(word, in: names)
    guard near.isEmpty, longer.isEmpty else { return near }
    // The first part may be misspelt, too: `viza`.
    let parts = names.filter { $0.contains("-") }.map { String($0.prefix { $0 != "-" }) }
    let misspelt = Set(of(word, in: parts)).sorted().flatMap { part in names.filter { $0.hasPrefix("\(part)-") } }
    return (1...most).contains(misspelt.count) ? misspelt : []
  }

  /// The number of letters to add, to leave out or to exchange (Levenshtein).
  private static func distance(_ first: String, _ second: String) -> Int {
    let second = Array(second)
    // A longer word is no typing error of a name, and slow to compare.
    guard first.count <= second.count + mostChanges else { return mostChanges + 1 }
    var row = Array(0...second.count)
    for (index, letter) in first.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for column in second.indices {
        let changed = diagonal + (second[column] == letter ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(changed, row[column] + 1, row[column + 1] + 1)
      }
    }
    return row[second.count]
  }
}

extension NearNames {
  /// The end of a message to a program about a word that is none of the names: " Did you mean `scan`?", or all of them.
  static func hint(_ word: String, in names: [String]) -> String {
    guard !names.isEmpty else { return "" }
    let near = of(word, in: names)
    return near.isEmpty
      ? " Use one of: \(names.joined(separator: ", "))."
      : " Did you mean \(near.map { "`\($0)`" }.joined(separator: " or "))?"
  }
}
