/// The flag before a field for a phone number.
enum CountryFlag {
  /// Two characters of Unicode that are drawn as one flag: that of the US for a country that is not known
  /// (NativeScreens.md, rule 5).
  ///
  /// - Returns: nil if there is no country, as for an `input`.
  static func text(_ countryCode: String) -> String? {
    guard !countryCode.isEmpty else { return nil }
    let code = FlowDocumentWords.countries.contains(countryCode) ? countryCode : "US"
    return String(String.UnicodeScalarView(code.unicodeScalars.compactMap { Unicode.Scalar(0x1F1E6 + $0.value - 65) }))
  }
}
