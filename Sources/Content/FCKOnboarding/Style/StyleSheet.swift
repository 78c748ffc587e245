import CTesseraWebKitGTK
import FCKOnboardingFlow
import TesseraWebContent

/// The style of one screen: a provider of CSS, whose classes no other widget of the program has. Equal styles share a
/// class, so a redraw that brings back a style costs nothing.
@MainActor
final class StyleSheet {
  private let provider = gtk_css_provider_new()
  private let prefix: String
  private var classes: [String: String] = [:]
  private var text = ""
  private var hasChanged = false
  private static var count = 0
  /// The number of styles in all sheets that are in use, for tests.
  private(set) static var styleCount = 0

  init() {
    Self.count += 1
    prefix = "tessera-fck-\(Self.count)-"
    guard let display = gdk_display_get_default() else { return }
    // Above the style of the theme and of the program, below that of the user.
    gtk_style_context_add_provider_for_display(
      display, OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION) + 1)
  }

  isolated deinit {
    Self.styleCount -= classes.count
    if let display = gdk_display_get_default() {
      gtk_style_context_remove_provider_for_display(display, OpaquePointer(provider))
    }
    g_object_unref(gpointer(provider))
  }

  /// The class of a style.
  ///
  /// - Parameter rules: CSS in which `&` is the class.
  func name(of rules: String) -> String {
    if let name = classes[rules] { return name }
    let name = prefix + String(classes.count)
    classes[rules] = name
    Self.styleCount += 1
    text += rules.replacing("&", with: "." + name) + "\n"
    hasChanged = true
    return name
  }

  /// Applies new styles. Called once after many widgets were made or changed.
  func commit() {
    guard hasChanged else { return }
    hasChanged = false
    gtk_css_provider_load_from_data(provider, text, -1)
  }
}

/// The style that one widget has of a style sheet, which a redraw may change.
@MainActor
struct WidgetStyle {
  private var current: String?

  init() {}

  mutating func set(_ rules: String, on widget: UnsafeMutablePointer<GtkWidget>, _ sheet: StyleSheet) {
    let name = sheet.name(of: rules)
    guard name != current else { return }
    if let current { gtk_widget_remove_css_class(widget, current) }
    gtk_widget_add_css_class(widget, name)
    current = name
  }
}

/// Values as CSS. Nothing of a document is pasted: what is written here was parsed before.
enum CSSText {
  /// With at most two decimals, and never with an exponent.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return "0" }
    let hundredths = Int((min(max(value, -1_000_000), 1_000_000) * 100).rounded())
    let (whole, rest) = (hundredths.magnitude / 100, hundredths.magnitude % 100)
    let sign = hundredths < 0 ? "-" : ""
    guard rest > 0 else { return sign + String(whole) }
    return "\(sign)\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }

  /// A whole number of pixels, so that layouts add up.
  static func pixels(_ value: Double) -> String { "\(Int(FlowLayout.limited(value).rounded()))px" }

  static func color(_ color: FlowColor) -> String {
    "rgba(\(color.red),\(color.green),\(color.blue),\(number(Double(color.alpha) / 255)))"
  }

  /// The colour of texts; that of the theme is inherited.
  static func color(_ color: RenderColor) -> String? {
    if case .fixed(let color) = color { Self.color(color) } else { nil }
  }

  static func border(_ border: RenderBorder) -> String {
    "border:\(pixels(border.width)) solid \(color(border.color));border-radius:\(pixels(border.radius));"
  }

  static func spacing(_ spacing: Spacing) -> String {
    [spacing.top, spacing.right, spacing.bottom, spacing.left].map(pixels).joined(separator: " ")
  }
}

extension RenderBox {
  /// The declarations of the box itself. Its sizes are those of the layout.
  var css: String {
    var text = "margin:\(CSSText.spacing(margin));padding:\(CSSText.spacing(padding));" + CSSText.border(border)
    text += "background-color:\(background.map(CSSText.color) ?? "transparent");"
    return text + "background-image:none;box-shadow:none;text-shadow:none;min-width:0;min-height:0;"
  }

  /// The sum of the margins, in whole pixels.
  var outerWidth: Int { Self.whole(margin.left) + Self.whole(margin.right) }
  var outerHeight: Int { Self.whole(margin.top) + Self.whole(margin.bottom) }

  private static func whole(_ length: Double) -> Int { Int(FlowLayout.limited(length).rounded()) }
}

extension PressEffect {
  /// How the widget looks while it is pressed, and how it gets there.
  ///
  /// - Parameter states: selectors behind the class, for example `:active`.
  func css(_ states: [String]) -> String {
    guard !isPlain else { return "" }
    let time = CSSText.number(duration * 1000)
    let transition =
      "transition-property:transform,opacity;transition-duration:\(time)ms;transition-timing-function:ease-in-out;"
    let selector = states.map { "&" + $0 }.joined(separator: ",")
    return "&{\(transition)}\(selector){transform:scale(\(CSSText.number(scale)));opacity:\(CSSText.number(opacity));}"
  }
}
