/// A command APDU as a card sees it (ISO/IEC 7816-4, 5.1), short or extended.
struct CardCommand {
  let header: [UInt8]
  let data: [UInt8]
  /// `Ne`; nil if the terminal expects no data.
  let expectedLength: Int?
  /// Whether the length fields are extended.
  let isExtended: Bool

  var cla: UInt8 { header[0] }
  var ins: UInt8 { header[1] }
  var p1: UInt8 { header[2] }
  var p2: UInt8 { header[3] }

  init(header: [UInt8], data: [UInt8], expectedLength: Int?, isExtended: Bool) {
    self.header = header
    self.data = data
    self.expectedLength = expectedLength
    self.isExtended = isExtended
  }

  /// Returns nil if the length fields are inconsistent.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 4 else { return nil }
    let body = bytes[4...]
    func length(_ high: UInt8, _ low: UInt8, zero: Int) -> Int {
      let value = Int(high) << 8 | Int(low)
      return value == 0 ? zero : value
    }
    let parsed: (data: ArraySlice<UInt8>, expected: Int?, extended: Bool)
    switch (body.count, body.first) {
    case (0, _): parsed = ([], nil, false)
    case (1, let le?): parsed = ([], length(0, le, zero: 256), false)
    case (3, 0): parsed = ([], length(body[5], body[6], zero: 65_536), true)
    case (4..., 0):
      let count = length(body[5], body[6], zero: 0)
      let rest = body.dropFirst(3)
      switch rest.count {
      case count: parsed = (rest, nil, true)
      case count + 2:
        parsed = (rest.prefix(count), length(rest[rest.endIndex - 2], rest[rest.endIndex - 1], zero: 65_536), true)
      default: return nil
      }
    case (_, let lc?) where lc > 0:
      let rest = body.dropFirst()
      switch rest.count {
      case Int(lc): parsed = (rest, nil, false)
      case Int(lc) + 1: parsed = (rest.dropLast(), length(0, rest[rest.endIndex - 1], zero: 256), false)
      default: return nil
      }
    default: return nil
    }
    self.init(
      header: Array(bytes.prefix(4)), data: Array(parsed.data), expectedLength: parsed.expected,
      isExtended: parsed.extended)
  }
}
