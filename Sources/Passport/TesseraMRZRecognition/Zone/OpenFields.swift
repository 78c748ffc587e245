/// The fields of a zone that no check digit covers.
struct OpenFields {
  /// A reading of all of them.
  struct Reading {
    fileprivate(set) var characters: [(cell: Int, character: Int)] = []
    /// How much less probable it is than the best one.
    fileprivate(set) var cost: Float = 0

    func write(into zone: inout [Int]) {
      for (cell, character) in characters { zone[cell] = character }
    }
  }

  /// The most probable one first.
  private(set) var readings = [Reading()]
  /// Without fillers; nil if the picture leaves it open.
  private(set) var issuingState: String?
  private(set) var kind = IssuerNumbers.Kind.other
  private(set) var score: Float = 0
  /// How much more probable the first reading of each field is than its other ones.
  private(set) var margin = Float.infinity

  private static let kept = 16
  /// How clear the issuing state must be for the rules of its numbers.
  private static let leastStateMargin: Float = 4

  /// - Returns: nil if a field permits none of the characters that the picture shows.
  init?(_ layout: ZoneLayout, _ options: CellOptions) {
    var state: [Int]?
    for field in layout.unchecked {
      let search: UncheckedSearch?
      func find(_ starts: [[Int]] = [], _ prior: ([Int]) -> Float) -> UncheckedSearch? {
        UncheckedSearch(field.cells, options, layout.alphabets, starts: starts, prior: prior)
      }
      switch field.content {
      case .documentCode:
        search = find {
          UncheckedPrior.documentCode($0, isBooklet: layout.columns == 44, isVisa: layout.isVisa)
        }
        kind = IssuerNumbers.Kind(code: search?.best)
      case .issuingState:
        search = find(StateCode.codes) { UncheckedPrior.state($0) }
        state = search?.best
        if let search, search.margin >= Self.leastStateMargin {
          issuingState = String(
            decoding: search.best.filter { $0 != ZoneCharacter.filler }.map(ZoneCharacter.ascii), as: UTF8.self)
        }
      case .nationality:
        search = find(StateCode.codes) { UncheckedPrior.nationality($0, issuingState: state) }
      case .names: search = find { UncheckedPrior.names($0) }
      case .optionalData:
        let best = field.cells.map { options.near($0, layout.alphabets[$0], .max).first?.character ?? 0 }
        // The reading of each shape, to compare with.
        let starts = NumberPrior.optionalData.masks(best, places: field.cells.count).map { mask in
          zip(field.cells, mask).map { options.near($0, layout.alphabets[$0], $1).first?.character ?? -1 }
        }
        search = find(starts) { NumberPrior.optionalData.value($0) }
      case .sex: search = find { _ in 0 }
      }
      guard let search else { return nil }
      add(field.cells, search)
      score += search.picture + search.prior
      margin = min(margin, search.margin)
    }
    if layout.format == .frenchIdentityCard { issuingState = "FRA" }
  }

  /// Each reading with each of a further field.
  private mutating func add(_ cells: [Int], _ search: UncheckedSearch) {
    let further = [UncheckedSearch.Reading(characters: search.best, cost: 0)] + search.others
    let all = readings.flatMap { reading in
      further.map { field in
        Reading(characters: reading.characters + zip(cells, field.characters), cost: reading.cost + field.cost)
      }
    }
    readings = Array(all.sorted { $0.cost < $1.cost }.prefix(Self.kept))
  }
}
