import CTesseraWebKitGTK
import FCKOnboardingFlow
import TesseraWebContent

/// A text: a `GtkLabel` with attributes of Pango.
@MainActor
final class TextWidget: PressableWidget {
  init(_ node: RenderNode, _ context: WidgetContext) {
    super.init(node, content: TextLabel.make(), context)
  }

  override func redraw() {
    super.redraw()
    if case .text(let text) = node.content { TextLabel.set(text, content) }
  }
}

/// Labels whose text is that of a document.
@MainActor
enum TextLabel {
  static func make() -> UnsafeMutablePointer<GtkWidget> {
    let label = gtk_label_new(nil)!
    gtk_label_set_wrap(OpaquePointer(label), 1)
    gtk_label_set_wrap_mode(OpaquePointer(label), PANGO_WRAP_WORD_CHAR)
    return label
  }

  static func set(_ text: RenderText, _ label: UnsafeMutablePointer<GtkWidget>) {
    set(text.content, label)
    let attributes = pango_attr_list_new()
    // In points, so that texts follow the size that the user chose for the desktop.
    pango_attr_list_insert(attributes, pango_attr_size_new(gint(min(text.size, 1_000) * 0.75 * 1024)))
    pango_attr_list_insert(
      attributes, pango_attr_weight_new(PangoWeight(rawValue: UInt32(text.weight.number))))
    if case .fixed(let color) = text.color {
      // Sixteen bits a colour.
      pango_attr_list_insert(
        attributes,
        pango_attr_foreground_new(guint16(color.red) * 257, guint16(color.green) * 257, guint16(color.blue) * 257))
      // 0 would be the default.
      pango_attr_list_insert(attributes, pango_attr_foreground_alpha_new(max(1, guint16(color.alpha) * 257)))
    }
    gtk_label_set_attributes(OpaquePointer(label), attributes)
    pango_attr_list_unref(attributes)
    let (justification, position): (GtkJustification, Float) =
      switch text.alignment {
      case .left: (GTK_JUSTIFY_LEFT, 0)
      case .center: (GTK_JUSTIFY_CENTER, 0.5)
      case .right: (GTK_JUSTIFY_RIGHT, 1)
      }
    gtk_label_set_justify(OpaquePointer(label), justification)
    gtk_label_set_xalign(OpaquePointer(label), position)
  }

  /// Sets the text as it is: neither markup nor mnemonics.
  static func set(_ text: String, _ label: UnsafeMutablePointer<GtkWidget>) {
    if gtk_label_get_text(OpaquePointer(label)).map({ String(cString: $0) }) != text {
      gtk_label_set_wrap_mode(OpaquePointer(label), hasEndlessWord(text) ? PANGO_WRAP_CHAR : PANGO_WRAP_WORD_CHAR)
      gtk_label_set_text(OpaquePointer(label), text)
    }
  }

  /// Whether a word is longer than any of a language. Pango takes seconds to look for its end in each line.
  private static func hasEndlessWord(_ text: String) -> Bool {
    var length = 0
    for scalar in text.unicodeScalars {
      length = scalar.properties.isWhitespace ? 0 : length + 1
      if length > 1_000 { return true }
    }
    return false
  }
}
