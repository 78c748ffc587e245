import TesseraCryptography

/// The countries of a machine readable zone (Doc 9303-3, 5: three letters, or D for Germany) beside those of
/// certificates (ISO 3166-1: two letters).
package enum CountryCode {
  /// The countries whose certificates may sign documents of an issuing state, in upper case.
  ///
  /// - Parameter state: of the machine readable zone, without fillers.
  package static func signers(ofIssuingState state: String) -> [String] {
    if let exceptions = exceptions[state] { return exceptions }
    if let code = CountryName.twoLetters[state] { return [code] }
    // Organisations have a code of their own, which certificates shorten, or replace by the code for "unknown".
    guard state.count == 3, state.hasPrefix("X") else { return [] }
    return [String(state.prefix(2)), state, "ZZ"]
  }

  /// The country of certificates that a user named by any code of this very country: `DE` for `d`, `D` and `DEU`. Not a
  /// country that signs for it: who removes the certificates of Gibraltar keeps those of the United Kingdom.
  package static func ofCertificates(named text: String) -> String { CountryName.code(of: text) }

  /// Whether a certificate of this country may sign documents of this issuing state.
  package static func matches(_ certificateCountry: String, issuingState state: String) -> Bool {
    signers(ofIssuingState: state).contains { isSame($0, certificateCountry.uppercased()) }
  }

  /// Whether two codes of certificates are those of one country.
  package static func isSame(_ code: String, _ other: String) -> Bool {
    (aliases[code] ?? code) == (aliases[other] ?? other)
  }

  /// Whether a code of a certificate is one that is assigned.
  package static func isKnown(_ code: String) -> Bool { known.contains(code) }

  /// Codes that certificates have in place of the assigned one.
  private static let aliases = ["UK": "GB", "EL": "GR", "XK": "KS"]

  private static let known: Set<String> = Set(CountryName.twoLetters.values).union(exceptions.values.joined())

  /// Codes of Doc 9303-3 that ISO 3166-1 does not have, or that another country signs for.
  private static let exceptions: [String: [String]] = {
    var codes: [String: [String]] = [
      "D": ["DE"], "EUE": ["EU"], "UNO": ["UN", "ZZ"], "UNA": ["UN", "ZZ"], "UNK": ["UN", "KS", "XK", "ZZ"],
      "RKS": ["KS", "XK"], "XKX": ["KS", "XK"], "UTO": ["UT"], "IAO": ["IA"], "NTZ": ["NT"], "ROM": ["RO"],
      // Passports of the two regions state China.
      "HKG": ["HK", "CN"], "MAC": ["MO", "CN"], "CHN": ["CN", "HK", "MO"], "ANT": ["AN", "NL"],
    ]
    let dependencies: [(String, [String])] = [
      ("GB", ["GBD", "GBN", "GBO", "GBP", "GBS"]),
      ("GB", ["AIA", "BMU", "CYM", "FLK", "GGY", "GIB", "IMN", "JEY", "MSR", "PCN", "SHN", "TCA", "VGB"]),
      ("DK", ["FRO", "GRL"]), ("NL", ["ABW", "BES", "CUW", "SXM"]), ("NZ", ["COK", "NIU", "TKL"]),
      ("US", ["ASM", "GUM", "MNP", "PRI", "VIR"]), ("NO", ["SJM"]), ("FI", ["ALA"]),
      ("FR", ["BLM", "GLP", "GUF", "MAF", "MTQ", "MYT", "NCL", "PYF", "REU", "SPM", "WLF"]),
    ]
    for (country, states) in dependencies {
      for state in states { codes[state] = [country] + (CountryName.twoLetters[state].map { [$0] } ?? []) }
    }
    return codes
  }()
}
