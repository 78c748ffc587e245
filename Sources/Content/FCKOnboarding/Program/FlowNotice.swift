import CTesseraWebKitGTK
import TesseraWebContent

/// What stands where a flow will be, or could not be: a spinner, or a sentence with buttons.
@MainActor
final class FlowNotice {
  let widget: UnsafeMutablePointer<GtkWidget>
  private let actions = WidgetActions()
  private(set) var buttons: [UnsafeMutablePointer<GtkWidget>] = []

  /// A spinner.
  init(waiting label: String) {
    widget = Self.box()
    let spinner = gtk_spinner_new()!
    gtk_widget_set_size_request(spinner, 32, 32)
    gtk_spinner_set_spinning(OpaquePointer(spinner), 1)
    Accessible.setLabel(label, spinner)
    gtk_box_append(object(widget), spinner)
  }

  /// A sentence, and buttons with their words. The first one is the suggested one.
  init(_ text: String, buttons: [(words: String, onPress: @MainActor () -> Void)]) {
    widget = Self.box()
    let label = TextLabel.make()
    TextLabel.set(text, label)
    gtk_label_set_justify(OpaquePointer(label), GTK_JUSTIFY_CENTER)
    gtk_label_set_max_width_chars(OpaquePointer(label), 40)
    gtk_box_append(object(widget), label)
    for (index, choice) in buttons.enumerated() {
      let button = gtk_button_new_with_label(choice.words)!
      if index == 0 { gtk_widget_add_css_class(button, "suggested-action") }
      gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
      gtk_box_append(object(widget), button)
      actions.on(button, "clicked", choice.onPress)
      self.buttons.append(button)
    }
  }

  isolated deinit {
    actions.end()
    g_object_unref(gpointer(widget))
  }

  private static func box() -> UnsafeMutablePointer<GtkWidget> {
    let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12)!
    g_object_ref_sink(gpointer(box))
    for set in [gtk_widget_set_halign, gtk_widget_set_valign] { set(box, GTK_ALIGN_CENTER) }
    for set in [gtk_widget_set_hexpand, gtk_widget_set_vexpand] { set(box, 1) }
    for set in [
      gtk_widget_set_margin_top, gtk_widget_set_margin_bottom, gtk_widget_set_margin_start, gtk_widget_set_margin_end,
    ] { set(box, 24) }
    return box
  }
}
