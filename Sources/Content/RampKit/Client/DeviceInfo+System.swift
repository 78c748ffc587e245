import CTesseraWebKitGTK
import Glibc
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
