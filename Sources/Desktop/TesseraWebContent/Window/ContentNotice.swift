import CTesseraWebKitGTK

/// A page of our own over a view: a title, a sentence and a button. It is made of GTK's widgets, so it can also be
/// shown when no page can.
@MainActor
public final class ContentNotice {
  public struct Text: Sendable {
    public var title: String
    public var message: String
    public var button: String

    public init(title: String, message: String, button: String) {
      self.title = title
      self.message = message
      self.button = button
    }
  }

  let widget: UnsafeMutablePointer<GtkWidget>
  private let button: UnsafeMutablePointer<GtkWidget>
  private let signals = Signals()
  private let onPress: @MainActor () -> Void

  init(_ text: Text, onPress: @escaping @MainActor () -> Void) {
    self.onPress = onPress
    let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 18)!
    widget = box
    button = gtk_button_new_with_label(text.button)
    gtk_widget_add_css_class(box, "background")
    let title = gtk_label_new(text.title)!
    gtk_widget_add_css_class(title, "title-1")
    gtk_widget_set_valign(title, GTK_ALIGN_END)
    gtk_widget_set_vexpand(title, 1)
    let message = gtk_label_new(text.message)!
    gtk_label_set_wrap(OpaquePointer(message), 1)
    gtk_label_set_max_width_chars(OpaquePointer(message), 60)
    gtk_label_set_justify(OpaquePointer(message), GTK_JUSTIFY_CENTER)
    gtk_widget_add_css_class(button, "suggested-action")
    gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
    gtk_widget_set_valign(button, GTK_ALIGN_START)
    gtk_widget_set_vexpand(button, 1)
    for part in [title, message, button] { gtk_box_append(object(box), part) }
    signals.connect(
      gpointer(button), "clicked", to: self,
      { _, owner in
        MainActor.assumeIsolated { Signals.owner(owner, as: ContentNotice.self)?.onPress() }
      } as @convention(c) (gpointer?, gpointer?) -> Void)
  }

  func press() { gtk_widget_activate(button) }

  func focus() { gtk_widget_grab_focus(button) }

  func end() { signals.disconnectAll() }
}
