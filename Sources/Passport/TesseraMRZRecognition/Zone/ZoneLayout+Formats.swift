extension ZoneLayout {
  /// Doc 9303-4, 4.2.2.
  static var td3: ZoneLayout {
    var layout = ZoneLayout(rows: 2, columns: 44)
    layout.permitHeader()
    layout.addBooklet()
    return layout
  }

  /// Russia's internal passport: a TD3 whose names have digits for letters of the Russian alphabet, the last digit of
  /// the series, the date of issue and the office in the optional data, and no date of expiry (order of the Ministry of
  /// the Interior on the machine readable entry; documentsearch.org, "MRZ passport generator").
  static var russianInternalPassport: ZoneLayout {
    var layout = ZoneLayout(rows: 2, columns: 44)
    layout.permit(0, 0, "PNRUS")
    layout.permit(1, 10, "RUS")
    layout.addHeader()
    layout.addBooklet()
    return layout
  }

  /// Doc 9303-7, 4.2.2: no composite check digit, and none of the optional data.
  static func visa(_ columns: Int) -> ZoneLayout {
    var layout = ZoneLayout(rows: 2, columns: columns, isVisa: true)
    layout.permitHeader()
    layout.addSecondLine()
    layout.addField(.documentNumber, 1, [0..<9], digit: 9)
    layout.addDates()
    layout.addUnchecked(.optionalData, 1, 28..<columns)
    return layout
  }

  /// Doc 9303-6, 4.2.2. German cards of 1987 to 2010 are of this format.
  static func td2(_ continuation: Int?) -> ZoneLayout {
    var layout = ZoneLayout(rows: 2, columns: 36)
    layout.permitHeader()
    layout.setComposite([(1, 0..<10), (1, 13..<20), (1, 21..<35)], digit: 1, 35)
    layout.addSecondLine()
    layout.addNumber(1, 0..<9, continuedAt: 28, continuation, end: 35)
    layout.addDates()
    return layout
  }

  /// Doc 9303-5, 4.2.2. The French card of 2021 is of this format. The card of the permanent residents of the United States
  /// has the code C1 or C2 (immihelp.com, "Green Card Explanation").
  ///
  /// - Parameters:
  ///   - countsFiller: whether the check digit of a long document number covers the filler in its place, as on Belgian
  ///     cards before 2020 and Portuguese ones (PRADO BEL-BO-03003; cheminfo/mrz, check.test.ts).
  ///   - isMexican: for a man's voter card of Mexico.
  static func td1(_ continuation: Int?, countsFiller: Bool = false, isMexican: Bool = false) -> ZoneLayout {
    var layout = ZoneLayout(rows: 3, columns: 30)
    layout.permit(0, 0..<1, letters & ~(1 << 31) & ~(1 << 25))
    layout.permit(0, 1..<2, letters | filler | (1 << 1) | (1 << 2))
    layout.permit(0, 2..<5, letters | filler)
    layout.permitDate(1, 0, mayBeUnknown: true)
    if isMexican { layout.permit(0, 0, "IDMEX") }
    layout.permitSex(1, 7, isMexican: isMexican)
    layout.permitDate(1, 8, mayBeUnknown: false)
    layout.permit(1, 15..<18, letters | filler)
    layout.permit(2, 0..<30, letters | filler)
    layout.setComposite([(0, 5..<30), (1, 0..<7), (1, 8..<15), (1, 18..<29)], digit: 1, 29)
    layout.addNumber(0, 5..<14, continuedAt: 15, continuation, end: 30, countsFiller: countsFiller)
    layout.addField(.date, 1, [0..<6], digit: 6)
    layout.addField(.date, 1, [8..<14], digit: 14)
    layout.addField(.optionalData, 1, [18..<29])
    layout.addUnchecked(.documentCode, 0, 0..<2)
    layout.addUnchecked(.issuingState, 0, 2..<5)
    layout.addUnchecked(.sex, 1, 7..<8)
    layout.addUnchecked(.nationality, 1, 15..<18)
    layout.addUnchecked(.names, 2, 0..<30)
    return layout
  }

  /// The identity card of 1988 to 2021: two lines of 36, without a date of expiry. The last digit covers all characters
  /// before it, in both lines (fr.wikipedia.org, "Carte nationale d'identité en France"; dcode.fr, "French ID Card").
  static var frenchIdentityCard: ZoneLayout {
    var layout = ZoneLayout(rows: 2, columns: 36, format: .frenchIdentityCard)
    layout.permit(0, 0, "IDFRA")
    layout.permit(0, 5..<30, letters | filler)
    layout.permit(1, 12..<13, digits)
    layout.permit(1, 13..<27, letters | filler)
    layout.permitDate(1, 27, mayBeUnknown: false)
    layout.permitSex(1, 34)
    layout.setComposite([(0, 0..<36), (1, 0..<35)], digit: 1, 35)
    layout.addField(.documentNumber, 1, [0..<12], digit: 12)
    layout.addField(.date, 1, [27..<33], digit: 33)
    layout.addField(.optionalData, 0, [30..<36])
    layout.addField(.other, 0, [0..<30])
    layout.addField(.other, 1, [13..<27])
    layout.addField(.other, 1, [34..<35])
    return layout
  }

  // MARK: - Parts

  /// The first line of all formats of two lines: document code, issuing state, name.
  private mutating func permitHeader() {
    let visa = UInt64(1) << 31
    permit(0, 0..<1, isVisa ? visa : Self.letters & ~visa)
    permit(0, 1..<columns, Self.letters | Self.filler)
    addHeader()
  }

  private mutating func addHeader() {
    addUnchecked(.documentCode, 0, 0..<2)
    addUnchecked(.issuingState, 0, 2..<5)
    addUnchecked(.names, 0, 5..<columns)
  }

  /// The begin of the second line of all formats of two lines.
  private mutating func addSecondLine() {
    permit(1, 9..<10, Self.digits | Self.filler)
    permit(1, 10..<13, Self.letters | Self.filler)
    permitDate(1, 13, mayBeUnknown: true)
    permitSex(1, 20)
    permitDate(1, 21, mayBeUnknown: false)
    addUnchecked(.nationality, 1, 10..<13)
    addUnchecked(.sex, 1, 20..<21)
  }

  private mutating func addDates() {
    addField(.date, 1, [13..<19], digit: 19)
    addField(.date, 1, [21..<27], digit: 27)
  }

  /// The second line of a passport.
  private mutating func addBooklet() {
    setComposite([(1, 0..<10), (1, 13..<20), (1, 21..<43)], digit: 1, 43)
    addSecondLine()
    permit(1, 42..<43, Self.digits | Self.filler)
    addField(.documentNumber, 1, [0..<9], digit: 9)
    addDates()
    addField(.optionalData, 1, [28..<42], digit: 42, mayBeFiller: true)
  }

  /// The document number: nine characters and their digit; or a filler in the digit's place, the rest of the number, the
  /// digit, and a filler if there is more room (Doc 9303-5, 4.2.2 note j), as Belgian cards have it.
  private mutating func addNumber(
    _ row: Int, _ number: Range<Int>, continuedAt start: Int, _ continuation: Int?, end: Int,
    countsFiller: Bool = false
  ) {
    let place = number.upperBound
    guard let continuation else {
      permit(row, place..<(place + 1), Self.digits)
      addField(.documentNumber, row, [number], digit: place)
      addField(.optionalData, row, [start..<end])
      return
    }
    let digit = start + continuation
    permit(row, place..<(place + 1), Self.filler)
    permit(row, start..<digit, Self.digits | Self.letters)
    permit(row, digit..<(digit + 1), Self.digits)
    if digit + 1 < end { permit(row, (digit + 1)..<(digit + 2), Self.filler) }
    addField(
      .documentNumber, row, [number, start..<digit], digit: digit, fillerBefore: countsFiller ? number.count : nil)
    addField(.other, row, [place..<(place + 1)])
    addField(.optionalData, row, [(digit + 1)..<end])
  }
}
