/// Where a format has which characters, and what its check digits cover.
struct ZoneLayout: Sendable {
  enum Format: Sendable {
    /// TD1 to TD3, MRV-A and MRV-B.
    case doc9303
    /// The French identity card of 1988 to 2021.
    case frenchIdentityCard
  }

  let rows: Int
  let columns: Int
  let format: Format
  let isVisa: Bool
  /// The permitted characters of each cell, as bits of their numbers.
  private(set) var alphabets: [UInt64]
  /// The parts that check digits cover, each character once.
  private(set) var fields: [ZoneField] = []
  /// All other characters.
  private(set) var unchecked: [UncheckedField] = []
  /// The composite check digit; nil for visas.
  private(set) var compositeDigit: Int?
  /// How often each character counts in the composite check digit.
  private var compositeWeights: [Int: Int] = [:]

  static let filler = UInt64(1) << ZoneCharacter.filler
  static let digits = UInt64(1) << 10 - 1
  static let letters = (UInt64(1) << 36 - 1) & ~digits

  init(rows: Int, columns: Int, format: Format = .doc9303, isVisa: Bool = false) {
    (self.rows, self.columns, self.format, self.isVisa) = (rows, columns, format, isVisa)
    alphabets = Array(repeating: Self.digits | Self.letters | Self.filler, count: rows * columns)
  }

  /// The formats of a zone of this size. A document number of more than nine characters continues in the optional data;
  /// how far is in `continuations`.
  static func all(rows: Int, columns: Int, continuations: [Int]) -> [ZoneLayout] {
    switch (rows, columns) {
    case (3, 30):
      cards
        + continuations.filter { $0 < 15 }.flatMap { continuation in
          [false, true].flatMap { withoutExpiry(td1(continuation, countsFiller: $0), row: 1, at: 8) }
        }
    case (2, 44): booklets
    case (2, 36): largeCards + continuations.filter { $0 < 7 }.flatMap { withoutExpiry(td2($0), row: 1, at: 21) }
    default: []
    }
  }

  private static let cards = withoutExpiry(td1(nil), row: 1, at: 8) + [td1(nil, isMexican: true)]
  private static let booklets = [td3, russianInternalPassport, visa(44)].flatMap { withoutExpiry($0, row: 1, at: 21) }
  private static let largeCards =
    [td2(nil), visa(36)].flatMap { withoutExpiry($0, row: 1, at: 21) } + [frenchIdentityCard]

  /// The format, and the same with six fillers as the date of expiry, as the documents of some issuers have that never
  /// expire; its check digit is a zero or a filler (Moldova: snifter/MRZCode.NET, pull requests 3 and 4).
  private static func withoutExpiry(_ layout: ZoneLayout, row: Int, at column: Int) -> [ZoneLayout] {
    var endless = layout
    let cells = layout.cells(row, column..<(column + 6))
    guard let first = cells.first, let last = cells.last else { return [layout] }
    for cell in cells { endless.alphabets[cell] = filler }
    endless.alphabets[last + 1] |= filler
    for index in endless.fields.indices where endless.fields[index].places.first?.cell == first {
      endless.fields[index].digitMayBeFiller = true
      endless.fields[index].content = .other
    }
    return [layout, endless]
  }

  // MARK: - Building

  func cells(_ row: Int, _ columns: Range<Int>) -> [Int] { columns.map { row * self.columns + $0 } }

  mutating func permit(_ cells: [Int], _ characters: UInt64) {
    for cell in cells { alphabets[cell] &= characters }
  }

  mutating func permit(_ row: Int, _ columns: Range<Int>, _ characters: UInt64) {
    permit(cells(row, columns), characters)
  }

  /// Fixed characters.
  mutating func permit(_ row: Int, _ column: Int, _ text: String) {
    for (index, character) in text.utf8.enumerated() {
      let place = column + index
      permit(row, place..<(place + 1), ZoneCharacter.number(character).map { 1 << UInt64($0) } ?? 0)
    }
  }

  /// Six digits and their check digit.
  mutating func permitDate(_ row: Int, _ column: Int, mayBeUnknown: Bool) {
    permit(row, column..<(column + 6), Self.digits | (mayBeUnknown ? Self.filler : 0))
    permit(row, (column + 6)..<(column + 7), Self.digits)
  }

  /// F, M, X or a filler; H on the voter cards of men in Mexico (hombre; M is mujer), which are as Doc 9303-5 has it
  /// otherwise.
  mutating func permitSex(_ row: Int, _ column: Int, isMexican: Bool = false) {
    permit(row, column..<(column + 1), isMexican ? 1 << 17 : (1 << 22) | (1 << 15) | (1 << 33) | Self.filler)
  }

  /// Sets the parts that the composite check digit covers, in their order, and its place. Called before the fields are added.
  mutating func setComposite(_ parts: [(row: Int, columns: Range<Int>)], digit row: Int, _ column: Int) {
    permit(row, column..<(column + 1), Self.digits)
    for (index, cell) in parts.flatMap({ cells($0.row, $0.columns) }).enumerated() {
      compositeWeights[cell] = ZoneField.weight(index)
    }
    compositeDigit = row * columns + column
  }

  /// - Parameter parts: the columns of the field's characters in their order.
  mutating func addField(
    _ content: ZoneField.Content, _ row: Int, _ parts: [Range<Int>], digit: Int? = nil, mayBeFiller: Bool = false,
    fillerBefore: Int? = nil
  ) {
    func place(_ cell: Int) -> ZoneField.Place {
      ZoneField.Place(cell: cell, compositeWeight: compositeWeights[cell] ?? 0)
    }
    let cells = parts.flatMap { self.cells(row, $0) }
    guard !cells.isEmpty else { return }
    fields.append(
      ZoneField(
        content: content, places: cells.map(place), digit: digit.map { place(row * columns + $0) },
        digitMayBeFiller: mayBeFiller, fillerBefore: fillerBefore))
  }

  mutating func addUnchecked(_ content: UncheckedField.Content, _ row: Int, _ columns: Range<Int>) {
    guard !columns.isEmpty else { return }
    unchecked.append(UncheckedField(content: content, cells: cells(row, columns)))
  }

  // MARK: - Check digits

  /// Whether all check digits of a zone are right.
  ///
  /// - Parameter zone: the characters of all cells.
  func hasRightCheckDigits(_ zone: [Int]) -> Bool {
    var sum = 0
    for field in fields {
      let characters = field.all.map { zone[$0.cell] }
      guard field.hasRightDigit(characters) else { return false }
      sum += field.residue(characters)
    }
    return compositeDigit.map { zone[$0] == sum % 10 } ?? true
  }
}

/// A part of a zone whose characters check digits cover.
struct ZoneField: Sendable {
  enum Content: Sendable {
    case documentNumber, optionalData
    /// `YYMMDD`.
    case date
    case other
  }

  /// One character.
  struct Place: Sendable {
    /// The number of the character in the zone, from 0, line by line.
    var cell: Int
    /// 7, 3 or 1; 0 if the composite check digit does not cover the place.
    var compositeWeight: Int
  }

  var content = Content.other
  var places: [Place]
  /// The check digit of the field; nil if only the composite one covers it.
  var digit: Place?
  /// Whether the digit may be a filler if all characters of the field are.
  var digitMayBeFiller = false
  /// The index of the place before which the field's check digit counts a filler that is none of `places`; nil for none.
  var fillerBefore: Int?

  /// The places with the digit, in the order in which a reading has its characters.
  var all: [Place] { digit.map { places + [$0] } ?? places }

  /// The weight of a character in a check digit.
  static func weight(_ index: Int) -> Int { index % 3 == 0 ? 7 : index % 3 == 1 ? 3 : 1 }

  /// The weight of one of `places` in the field's own check digit.
  func weight(ofPlace index: Int) -> Int {
    Self.weight(fillerBefore.map { index >= $0 ? index + 1 : index } ?? index)
  }

  /// Whether these characters, one for each of `all`, have the right check digit.
  func hasRightDigit(_ characters: [Int]) -> Bool {
    guard digit != nil, let printed = characters.last, characters.count == places.count + 1 else { return true }
    var sum = 0
    for (index, character) in characters.dropLast().enumerated() {
      sum += ZoneCharacter.checkValue(character) * weight(ofPlace: index)
    }
    if printed == ZoneCharacter.filler {
      return digitMayBeFiller && characters.allSatisfy { $0 == ZoneCharacter.filler }
    }
    return printed == sum % 10
  }

  /// What the characters add to the composite check digit, modulo 10.
  func residue(_ characters: [Int]) -> Int {
    zip(all, characters).reduce(0) { $0 + $1.0.compositeWeight * ZoneCharacter.checkValue($1.1) } % 10
  }
}

/// A part of a zone that no check digit covers.
struct UncheckedField: Sendable {
  enum Content: Sendable { case documentCode, issuingState, nationality, names, sex, optionalData }

  var content: Content
  var cells: [Int]
}
