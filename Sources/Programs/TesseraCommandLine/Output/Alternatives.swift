/// Words for several things of which one is right.
package enum Alternatives {
  /// "A", "A or B", "A, B or C".
  package static func text(_ things: [String]) -> String {
    guard let last = things.last, things.count > 1 else { return things.joined() }
    return "\(things.dropLast().joined(separator: ", ")) or \(last)"
  }
}
