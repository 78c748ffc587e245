/// Where a format has which characters, and what its check digits cover.
struct ZoneLayout {
  /// A character that a check digit covers, or such a digit.
  struct Step {
    var row: Int
    var column: Int
    /// 7, 3 or 1 for a character of the current field; 0 for one of no field.
    var fieldWeight = 0
    /// The same for the composite check digit.
    var compositeWeight = 0
    var role = Role.data
  }

  enum Role: Equatable {
    case data
    /// The check digit of the field, whose characters are the steps before; a filler if it may be one and they all are.
    case fieldDigit(mayBeFiller: Bool)
    case compositeDigit
  }

  let rows: Int
  let columns: Int
  /// The permitted characters of each place, as bits of their numbers.
  private(set) var alphabets: [[UInt64]]
  private(set) var steps: [Step] = []
  let isFrenchIdentityCard: Bool

  private static let filler = UInt64(1) << ZoneCharacter.filler
  private static let digits = UInt64(1) << 10 - 1
  private static let letters = (UInt64(1) << 36 - 1) & ~digits

  private init(rows: Int, columns: Int, isFrenchIdentityCard: Bool = false) {
    self.rows = rows
    self.columns = columns
    self.isFrenchIdentityCard = isFrenchIdentityCard
    let any = Self.digits | Self.letters | Self.filler
    alphabets = Array(repeating: Array(repeating: any, count: columns), count: rows)
  }

  /// The formats of a zone of this size. A document number of more than nine characters continues in the optional data;
  /// how far is in `continuations`.
  static func all(rows: Int, columns: Int, continuations: [Int]) -> [ZoneLayout] {
    switch (rows, columns) {
    case (3, 30): withoutExpiry([td1(nil)] + continuations.filter { $0 < 15 }.map { td1($0) }, line: 1, at: 8)
    case (2, 44): withoutExpiry([td3, visa(44)], line: 1, at: 21)
    case (2, 36):
      withoutExpiry([td2(nil)] + continuations.filter { $0 < 7 }.map { td2($0) } + [visa(36)], line: 1, at: 21)
        + [frenchIdentityCard]
    default: []
    }
  }

  /// These formats, and each with six fillers as the date of expiry, as the documents of some issuers have that never
  /// expire.
  private static func withoutExpiry(_ layouts: [ZoneLayout], line: Int, at column: Int) -> [ZoneLayout] {
    layouts
      + layouts.map { layout in
        var layout = layout
        let digit = column + 6
        for column in column..<digit { layout.alphabets[line][column] = filler }
        layout.alphabets[line][digit] |= filler
        for index in layout.steps.indices where layout.steps[index].row == line && layout.steps[index].column == digit {
          layout.steps[index].role = .fieldDigit(mayBeFiller: true)
        }
        return layout
      }
  }

  // MARK: - Formats

  /// Doc 9303-4, 4.2.2.
  private static var td3: ZoneLayout {
    var layout = ZoneLayout(rows: 2, columns: 44)
    layout.permitHeader(nameEnd: 44, isVisa: false)
    layout.permitSecondLine()
    layout.permit(1, 42..<43, digits | filler)
    layout.permit(1, 43..<44, digits)
    let composite = layout.composite([(1, 0..<10), (1, 13..<20), (1, 21..<43)])
    layout.addField(1, [0..<9], digit: 9, composite)
    layout.addField(1, [13..<19], digit: 19, composite)
    layout.addField(1, [21..<27], digit: 27, composite)
    layout.addField(1, [28..<42], digit: 42, mayBeFiller: true, composite)
    layout.steps.append(Step(row: 1, column: 43, role: .compositeDigit))
    return layout
  }

  /// Doc 9303-7, 4.2.2: no composite check digit, and none of the optional data.
  private static func visa(_ columns: Int) -> ZoneLayout {
    var layout = ZoneLayout(rows: 2, columns: columns)
    layout.permitHeader(nameEnd: columns, isVisa: true)
    layout.permitSecondLine()
    layout.addField(1, [0..<9], digit: 9, [:])
    layout.addField(1, [13..<19], digit: 19, [:])
    layout.addField(1, [21..<27], digit: 27, [:])
    return layout
  }

  /// Doc 9303-6, 4.2.2.
  private static func td2(_ continuation: Int?) -> ZoneLayout {
    var layout = ZoneLayout(rows: 2, columns: 36)
    layout.permitHeader(nameEnd: 36, isVisa: false)
    layout.permitSecondLine()
    layout.permit(1, 35..<36, digits)
    let composite = layout.composite([(1, 0..<10), (1, 13..<20), (1, 21..<35)])
    layout.addNumber(1, 0..<9, continuedAt: 28, continuation, end: 35, composite)
    layout.addField(1, [13..<19], digit: 19, composite)
    layout.addField(1, [21..<27], digit: 27, composite)
    layout.steps.append(Step(row: 1, column: 35, role: .compositeDigit))
    return layout
  }

  /// Doc 9303-5, 4.2.2.
  private static func td1(_ continuation: Int?) -> ZoneLayout {
    var layout = ZoneLayout(rows: 3, columns: 30)
    layout.permit(0, 0..<1, letters & ~(1 << 31) & ~(1 << 25))
    layout.permit(0, 1..<5, letters | filler)
    layout.permitDate(1, 0, mayBeUnknown: true)
    layout.permitSex(1, 7)
    layout.permitDate(1, 8, mayBeUnknown: false)
    layout.permit(1, 15..<18, letters | filler)
    layout.permit(1, 29..<30, digits)
    layout.permit(2, 0..<30, letters | filler)
    let composite = layout.composite([(0, 5..<30), (1, 0..<7), (1, 8..<15), (1, 18..<29)])
    layout.addNumber(0, 5..<14, continuedAt: 15, continuation, end: 30, composite)
    layout.addField(1, [0..<6], digit: 6, composite)
    layout.addField(1, [8..<14], digit: 14, composite)
    layout.addPlain(1, 18..<29, composite)
    layout.steps.append(Step(row: 1, column: 29, role: .compositeDigit))
    return layout
  }

  /// The identity card of 1988 to 2021: two lines of 36, without a date of expiry. The last digit covers all characters
  /// before it, in both lines.
  private static var frenchIdentityCard: ZoneLayout {
    var layout = ZoneLayout(rows: 2, columns: 36, isFrenchIdentityCard: true)
    for (column, character) in "IDFRA".utf8.enumerated() {
      layout.permit(0, column..<(column + 1), ZoneCharacter.number(character).map { 1 << UInt64($0) } ?? 0)
    }
    layout.permit(0, 5..<30, letters | filler)
    layout.permit(1, 12..<13, digits)
    layout.permit(1, 13..<27, letters | filler)
    layout.permitDate(1, 27, mayBeUnknown: false)
    layout.permitSex(1, 34)
    layout.permit(1, 35..<36, digits)
    let composite = layout.composite([(0, 0..<36), (1, 0..<35)])
    layout.addPlain(0, 0..<36, composite)
    layout.addField(1, [0..<12], digit: 12, composite)
    layout.addPlain(1, 13..<27, composite)
    layout.addField(1, [27..<33], digit: 33, composite)
    layout.addPlain(1, 34..<35, composite)
    layout.steps.append(Step(row: 1, column: 35, role: .compositeDigit))
    return layout
  }

  // MARK: - Characters

  private mutating func permit(_ row: Int, _ columns: Range<Int>, _ characters: UInt64) {
    for column in columns { alphabets[row][column] &= characters }
  }

  /// The first line of all formats of two lines: document code, issuing state, name.
  private mutating func permitHeader(nameEnd: Int, isVisa: Bool) {
    let visa = UInt64(1) << 31
    permit(0, 0..<1, isVisa ? visa : Self.letters & ~visa)
    permit(0, 1..<nameEnd, Self.letters | Self.filler)
  }

  /// The begin of the second line of all formats of two lines.
  private mutating func permitSecondLine() {
    permit(1, 9..<10, Self.digits | Self.filler)
    permit(1, 10..<13, Self.letters | Self.filler)
    permitDate(1, 13, mayBeUnknown: true)
    permitSex(1, 20)
    permitDate(1, 21, mayBeUnknown: false)
  }

  /// Six digits and their check digit.
  private mutating func permitDate(_ row: Int, _ column: Int, mayBeUnknown: Bool) {
    let filler = mayBeUnknown ? Self.filler : 0
    permit(row, column..<(column + 6), Self.digits | filler)
    // No month begins with more than 1, no day with more than 3.
    permit(row, (column + 2)..<(column + 3), 0b11 | filler)
    permit(row, (column + 4)..<(column + 5), 0b1111 | filler)
    permit(row, (column + 6)..<(column + 7), Self.digits)
  }

  private mutating func permitSex(_ row: Int, _ column: Int) {
    permit(row, column..<(column + 1), (1 << 22) | (1 << 15) | (1 << 33) | Self.filler)
  }

  // MARK: - Check digits

  /// Whether the check digits of the characters, one for each step, are right.
  func hasRightCheckDigits(_ characters: [Int]) -> Bool {
    var (field, composite) = (0, 0)
    var fieldIsFiller = true
    for (step, character) in zip(steps, characters) {
      let value = ZoneCharacter.checkValue(character) % 10
      let isFiller = character == ZoneCharacter.filler
      switch step.role {
      case .data:
        field += value * step.fieldWeight
        if step.fieldWeight != 0, !isFiller { fieldIsFiller = false }
      case .fieldDigit(let mayBeFiller):
        guard isFiller ? mayBeFiller && fieldIsFiller : value == field % 10 else { return false }
        (field, fieldIsFiller) = (0, true)
      case .compositeDigit: guard value == composite % 10 else { return false }
      }
      composite += value * step.compositeWeight
    }
    return true
  }

  private typealias Weights = [Int: Int]

  private func key(_ row: Int, _ column: Int) -> Int { row * columns + column }

  /// The weights of the composite check digit over the parts of the zone that it covers, in their order.
  private func composite(_ parts: [(row: Int, columns: Range<Int>)]) -> Weights {
    let covered = parts.flatMap { part in part.columns.map { key(part.row, $0) } }
    return Weights(uniqueKeysWithValues: covered.enumerated().map { ($1, [7, 3, 1][$0 % 3]) })
  }

  private mutating func addPlain(_ row: Int, _ columns: Range<Int>, _ composite: Weights) {
    for column in columns {
      steps.append(Step(row: row, column: column, compositeWeight: composite[key(row, column)] ?? 0))
    }
  }

  private mutating func addField(
    _ row: Int, _ parts: [Range<Int>], digit: Int, mayBeFiller: Bool = false, _ composite: Weights
  ) {
    for (index, column) in parts.joined().enumerated() {
      steps.append(
        Step(
          row: row, column: column, fieldWeight: [7, 3, 1][index % 3],
          compositeWeight: composite[key(row, column)] ?? 0))
    }
    steps.append(
      Step(
        row: row, column: digit, compositeWeight: composite[key(row, digit)] ?? 0,
        role: .fieldDigit(mayBeFiller: mayBeFiller)))
  }

  /// The document number: nine characters and their digit; or a filler in the digit's place, the rest of the number, the
  /// digit, and a filler if there is more room (Doc 9303-5, 4.2.2 note j).
  private mutating func addNumber(
    _ row: Int, _ number: Range<Int>, continuedAt start: Int, _ continuation: Int?, end: Int, _ composite: Weights
  ) {
    let place = number.upperBound
    guard let continuation else {
      permit(row, place..<(place + 1), Self.digits)
      addField(row, [number], digit: place, composite)
      addPlain(row, start..<end, composite)
      return
    }
    let digit = start + continuation
    permit(row, place..<(place + 1), Self.filler)
    permit(row, start..<digit, Self.digits | Self.letters)
    permit(row, digit..<(digit + 1), Self.digits)
    if digit + 1 < end { permit(row, (digit + 1)..<(digit + 2), Self.filler) }
    addField(row, [number, start..<digit], digit: digit, composite)
    addPlain(row, place..<(place + 1), composite)
    addPlain(row, (digit + 1)..<end, composite)
  }
}
