/// The flag before a field for a phone number.
enum CountryFlag {
  private static let known = ["US", "GB", "CA", "AU", "DE", "FR", "ES", "IT", "MX", "BR"]

  /// Two characters of Unicode that are drawn as one flag; that of the US for a country that is not known (the dossier,
  /// section 2.5).
  static func text(_ countryCode: String) -> String {
    let code = known.first { $0 == countryCode.prefix(3).uppercased() } ?? "US"
    return String(String.UnicodeScalarView(code.unicodeScalars.compactMap { Unicode.Scalar(0x1F1E6 + $0.value - 65) }))
  }
}
