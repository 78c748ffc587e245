/// A bitmap of the input subsystem in the form of `/sys`: hexadecimal words of the machine's width, the highest first,
/// without leading zeros (`input_bits_to_string` in the kernel's drivers/input/input.c).
struct InputBits: Sendable, Equatable {
  private let words: [UInt]

  /// nil for malformed text.
  init?(_ text: String) {
    let parts = text.split(separator: " ")
    // The longest bitmap, that of the keys, has 768 bits.
    guard !parts.isEmpty, parts.count <= 64 else { return nil }
    let words = parts.compactMap { UInt($0, radix: 16) }
    guard words.count == parts.count else { return nil }
    self.words = words.reversed()
  }

  func contains(_ bit: Int32) -> Bool {
    let (word, offset) = Int(bit).quotientAndRemainder(dividingBy: UInt.bitWidth)
    return words.indices.contains(word) && words[word] >> offset & 1 == 1
  }

  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }
}
