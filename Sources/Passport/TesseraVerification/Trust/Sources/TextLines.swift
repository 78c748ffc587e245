/// The lines of a text in ASCII or UTF-8, which end with LF or CR LF, with their numbers from 1.
struct TextLines: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>
  private var number = 0
  private var isAtEnd = false

  init(_ text: ArraySlice<UInt8>) { rest = text }

  mutating func next() -> (number: Int, line: ArraySlice<UInt8>)? {
    guard !isAtEnd else { return nil }
    number += 1
    var line = rest
    if let end = rest.firstIndex(of: 0x0A) {
      line = rest[..<end]
      rest = rest[(end + 1)...]
    } else {
      isAtEnd = true
    }
    if line.last == 0x0D { line = line.dropLast() }
    return (number, line)
  }
}
