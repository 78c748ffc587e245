import CTesseraWebKitGTK
import Glibc
import TesseraLocales
import TesseraWindow

extension DeviceInfo {
  /// What this system says of itself. The display is asked if there is one.
  @MainActor
  static func collected(_ environment: [String: String], locale name: String? = nil) -> DeviceInfo {
    var info = DeviceInfo()
    var system = utsname()
    if uname(&system) == 0 {
      info.platformVersion = text(of: system.release)
      info.deviceModel = text(of: system.machine)
    }
    let locale = name.map { SystemLocale($0) } ?? SystemLocale(environment)
    info.deviceLocale = locale.name
    info.deviceLanguageCode = locale.language
    info.regionCode = locale.region
    info.preferredLanguages = [locale.tag]
    // By the C library: Foundation would need all tables of ICU (30 MB) for this.
    let currency = name == nil ? SystemCurrency(environment) : SystemCurrency(locale: locale.name)
    info.deviceCurrencyCode = currency?.code
    info.deviceCurrencySymbol = currency?.symbol
    if let now = g_date_time_new_now_local() {
      defer { g_date_time_unref(now) }
      if let name = g_time_zone_get_identifier(g_date_time_get_timezone(now)) {
        info.timezoneIdentifier = String(cString: name)
      }
      info.timezoneOffsetSeconds = Int(g_date_time_get_utc_offset(now) / 1_000_000)
    }
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let size = sysconf(Int32(_SC_PAGESIZE))
    if pages > 0, size > 0 { info.totalMemoryBytes = UInt64(pages) &* UInt64(size) }
    addDisplay(to: &info)
    return info
  }

  @MainActor
  private static func addDisplay(to info: inout DeviceInfo) {
    guard let display = gdk_display_get_default() else { return }
    info.interfaceStyle = SystemAppearance().isDark ? "dark" : "light"
    guard let monitors = gdk_display_get_monitors(display), let monitor = g_list_model_get_item(monitors, 0) else {
      return
    }
    defer { g_object_unref(monitor) }
    var area = GdkRectangle()
    gdk_monitor_get_geometry(OpaquePointer(monitor), &area)
    info.screenWidth = Double(area.width)
    info.screenHeight = Double(area.height)
    info.screenScale = Double(gdk_monitor_get_scale_factor(OpaquePointer(monitor)))
  }

  /// The text of an array of C characters.
  private static func text<Characters>(of characters: Characters) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

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

/// The language and the region of the user, by the environment.
struct SystemLocale: Sendable, Equatable {
  /// For example `de-AT`.
  let tag: String
  /// For example `de_AT`.
  let name: String
  /// For example `de`.
  let language: String
  /// For example `AT`; nil if the environment names none.
  let region: String?

  init(_ environment: [String: String]) {
    // `LANGUAGE` often names a language alone; the region is then that of the locale.
    var withoutLanguage = environment
    withoutLanguage["LANGUAGE"] = nil
    self.init(
      LocaleChain(environment: environment).tags.first, regionOf: LocaleChain(environment: withoutLanguage).tags.first)
  }

  /// - Parameter name: a tag or the name of a locale, for example `de-AT` or `de_AT.UTF-8`.
  init(_ name: String) { self.init(LocaleChain(name).tags.first, regionOf: nil) }

  private init(_ tag: LocaleTag?, regionOf other: LocaleTag?) {
    let text = tag?.text ?? "en"
    let language = tag?.language ?? "en"
    let region = tag?.region ?? other?.region
    self.tag = text
    self.language = language
    self.region = region
    name = region.map { "\(language)_\($0)" } ?? language
  }
}
