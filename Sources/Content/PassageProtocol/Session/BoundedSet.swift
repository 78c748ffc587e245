internal import TesseraJSON

/// Remembers the last texts of a number, so that a server cannot fill the memory.
struct BoundedSet: Sendable {
  private let limit: Int
  private var texts: Set<UTF8Text> = []
  /// In their order; a text that was forgotten makes room for the next one at the same place.
  private var order: [UTF8Text] = []
  private var oldest = 0

  /// - Parameter limit: at least one.
  init(limit: Int) { self.limit = limit }

  func contains(_ text: String) -> Bool { texts.contains(UTF8Text(text)) }

  /// - Returns: whether the text is new.
  mutating func insert(_ text: String) -> Bool {
    let text = UTF8Text(text)
    guard texts.insert(text).inserted else { return false }
    if order.count < limit {
      order.append(text)
    } else {
      texts.remove(order[oldest])
      order[oldest] = text
      oldest = (oldest + 1) % limit
    }
    return true
  }
}
