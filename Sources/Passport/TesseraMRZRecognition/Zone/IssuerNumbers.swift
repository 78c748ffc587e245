/// The shapes of document numbers by issuing state. Only what a source says; most sources describe passports.
///
/// Sources: [P] the table of passport numbers of validator.js (validatorjs/validator.js, `isPassportNumber`), which
/// collects Wikipedia and Microsoft's "EU passport number"; others at their lines.
enum IssuerNumbers {
  struct Known: Sendable {
    let shapes: [NumberShape]
    /// The share of documents with numbers of other shapes: how little the source is trusted.
    let others: Float
  }

  enum Kind {
    case passport, identityCard
    /// Residence permits, visas and what else has numbers of its own.
    case other

    /// - Parameter code: the document code, as numbers of `ZoneCharacter`.
    init(code: [Int]?) {
      let text = String(decoding: (code ?? []).map(ZoneCharacter.ascii), as: UTF8.self)
      switch text {
      case "ID", "I<", "C<": self = .identityCard
      default: self = text.hasPrefix("P") ? .passport : .other
      }
    }
  }

  static func of(_ state: String, _ kind: Kind) -> Known? {
    switch kind {
    case .passport: passports[state] ?? all[state]
    case .identityCard: cards[state] ?? all[state]
    case .other: nil
    }
  }

  /// The French card of 1988 to 2021: year and month, department with a digit, five digits (fr.wikipedia.org, "Carte
  /// nationale d'identité en France"; dcode.fr, "French ID Card"); Corsica has the departments 2A and 2B.
  static let frenchCard = rule(["999999999999", "99992B999999"], [0.99, 0.01], others: 0.002)

  private static func rule(_ shapes: [String], _ shares: [Float] = [], others: Float) -> Known {
    Known(
      shapes: shapes.enumerated().map { index, shape in
        NumberShape(shape, share: index < shares.count ? shares[index] : 1 / Float(shapes.count))
      }, others: others)
  }

  /// Issuers whose rule a law or the issuer itself states, for passports and cards.
  private static let all: [String: Known] = [
    // Passverordnung, annex 11, and BMI; children's and temporary passports: a letter and seven digits; cards until 2010
    // and passports until 2007: digits.
    "D": rule(["GGGGGGGGG", "A9999999", "999999999"], [0.85, 0.05, 0.1], others: 0.002),
    // government.nl: no letter O in passports nor cards; python-stdnum, `nl.identiteitskaartnummer`: two letters, six letters
    // or digits, a digit.
    "NLD": rule(["QQPPPPPP9"], others: 0.002),
  ]

  private static let cards: [String: Known] = [
    // en.wikipedia.org, "Belgian national identity card": twelve digits, xxx-xxxxxxx-yy.
    "BEL": rule(["999999999999"], others: 0.002),
    // cartaidentita.interno.gov.it: two letters, five digits, two letters.
    "ITA": rule(["LL99999LL"], others: 0.02),
    // en.wikipedia.org, "Polish identity card": three letters, six digits.
    "POL": rule(["LLL999999"], others: 0.02),
    // lasexta.com of 2023-04-11, "número de soporte del DNI": three letters, six digits; foreigners' cards: E, eight digits.
    "ESP": rule(["LLL999999", "A99999999"], [0.9, 0.1], others: 0.02),
  ]

  private static let passports: [String: Known] = {
    // [P], simplified: letters or digits at the begin of a number of Spain, Ireland, Italy, Latvia and Slovakia are two shapes
    // here, and fixed letters are any letter. A tenth of the documents may have other numbers, also of shapes since then.
    let table = """
      ARM LL9999999, ARG LLL999999, AUT L9999999, AUS L9999999, BEL LL999999, BGR 999999999, BRA LL999999, BLR LL9999999,
      CAN LL999999, CHE L9999999, CYP L999999 L99999999, CZE 99999999, DNK 999999999, DZA 999999999, EST L9999999 LL9999999,
      FIN LL9999999, FRA 99LL99999, GBR 999999999, GRC LL9999999, HRV 999999999, HUN LL999999 LL9999999, IND L9999999,
      IDN L9999999, IRN L99999999, ISL L9999999, IRL LL9999999 999999999, ITA LL9999999 999999999, JPN LL9999999,
      KOR L99999999, LVA LL9999999 999999999, MLT 9999999, MYS L99999999, PAK LL9999999, POL LL9999999, PRT L999999,
      ROU 99999999 999999999, RUS 999999999, SWE 99999999, SVN LL9999999, SVK L9999999 99999999, TUR L99999999,
      UKR LL999999, ESP LL999999 LLL999999, THA L999999 L9999999 LL999999 LL9999999,
      """
    var known: [String: Known] = [:]
    for line in table.split(separator: ",") {
      let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
      guard let state = words.first, words.count > 1 else { continue }
      known[state] = rule(Array(words.dropFirst()), others: 0.1)
    }
    // travel.state.gov, "Next Generation Passport": a letter and eight digits; nine digits before 2021 [P].
    known["USA"] = rule(["999999999", "L99999999"], others: 0.02)
    // [P]: G and eight digits, or E, a letter other than I and O or a digit, and seven digits.
    known["CHN"] = rule(["A99999999", "AA9999999"], others: 0.02)
    return known
  }()
}
