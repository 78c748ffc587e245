import Glibc

/// The currency of a locale, as the C library knows it (localeconv(3)). Only locales that are installed are known.
struct SystemCurrency: Equatable {
  /// ISO 4217, for example `EUR`.
  let code: String
  /// For example `€`; nil if the locale has none.
  let symbol: String?

  /// The currency of the user's settings.
  ///
  /// - Parameter environment: `LC_ALL`, `LC_MONETARY` and `LANG`, in this order (locale(7)).
  init?(_ environment: [String: String]) {
    let names = ["LC_ALL", "LC_MONETARY", "LANG"].compactMap { environment[$0] }
    guard let name = names.first(where: { !$0.isEmpty }) else { return nil }
    self.init(installed: name)
  }

  /// - Parameter locale: for example `de_AT`, without a character set.
  init?(locale: String) {
    // Debian installs locales with their character set, and some old ones without.
    guard let found = SystemCurrency(installed: "\(locale).UTF-8") ?? SystemCurrency(installed: locale)
    else { return nil }
    self = found
  }

  private init?(installed name: String) {
    // Instead of an empty name, the C library takes that of the environment (newlocale(3)).
    guard !name.isEmpty, !name.utf8.contains(0),
      let locale = newlocale((1 << LC_MONETARY) | (1 << LC_CTYPE), name, nil)
    else { return nil }
    defer { freelocale(locale) }
    // For this thread only, and only as long as the values are read.
    let previous = uselocale(locale)
    defer { uselocale(previous) }
    guard let values = localeconv()?.pointee, let international = values.int_curr_symbol else { return nil }
    // The code, and the character between it and an amount.
    let code = String(cString: international).prefix(3)
    guard code.utf8.count == 3, code.utf8.allSatisfy({ UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 })
    else { return nil }
    self.code = String(code)
    let symbol = values.currency_symbol.map { String(cString: $0) } ?? ""
    self.symbol = symbol.isEmpty ? nil : symbol
  }
}
