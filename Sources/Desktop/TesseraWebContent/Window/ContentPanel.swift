import CTesseraWebKitGTK

/// A panel of our own over a view: a live picture, a sentence and a button. The page below it stays visible, but
/// cannot see the picture.
@MainActor
public final class ContentPanel {
  let widget: UnsafeMutablePointer<GtkWidget>
  private let picture: UnsafeMutablePointer<GtkWidget>
  private let label: UnsafeMutablePointer<GtkWidget>
  private let button: UnsafeMutablePointer<GtkWidget>
  private let signals = Signals()
  private let onPress: @MainActor () -> Void

  /// - Parameters:
  ///   - label: names the picture to a screen reader.
  ///   - button: the words of the button.
  init(label name: String, button words: String, onPress: @escaping @MainActor () -> Void) {
    self.onPress = onPress
    let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12)!
    widget = box
    gtk_widget_add_css_class(box, "background")
    gtk_widget_add_css_class(box, "card")
    gtk_widget_set_halign(box, GTK_ALIGN_CENTER)
    gtk_widget_set_valign(box, GTK_ALIGN_CENTER)
    picture = gtk_picture_new()
    gtk_picture_set_alternative_text(OpaquePointer(picture), name)
    gtk_widget_set_size_request(picture, 480, 270)
    label = gtk_label_new("")
    gtk_label_set_wrap(OpaquePointer(label), 1)
    gtk_label_set_max_width_chars(OpaquePointer(label), 50)
    button = gtk_button_new_with_label(words)
    gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
    gtk_widget_set_margin_bottom(button, 12)
    for part in [picture, label, button] { gtk_box_append(object(box), part) }
    signals.on(gpointer(button), "clicked", self) { $0.onPress() }
    let keys = gtk_event_controller_key_new()!
    signals.answer(gpointer(keys), "key-pressed", self, guint.self) { panel, key in
      guard Int32(bitPattern: key) == GDK_KEY_Escape else { return false }
      panel.onPress()
      return true
    }
    gtk_widget_add_controller(box, keys)
  }

  /// Shows a picture.
  ///
  /// - Parameters:
  ///   - pixels: red, green and blue of each pixel, row by row; `width` x `height` of them.
  ///   - width: in pixels, up to 8192.
  ///   - height: in pixels, up to 8192.
  public func show(_ pixels: UnsafeBufferPointer<UInt8>, width: Int, height: Int) {
    guard width > 0, height > 0, width <= 8192, height <= 8192, pixels.count == width * height * 3 else { return }
    // GTK keeps these bytes, or copies of them, for as long as it shows the picture.
    let bytes = g_bytes_new(pixels.baseAddress, gsize(pixels.count))
    let texture = gdk_memory_texture_new(gint(width), gint(height), GDK_MEMORY_R8G8B8, bytes, gsize(width * 3))
    gtk_picture_set_paintable(OpaquePointer(picture), texture)
    g_object_unref(gpointer(texture))
    g_bytes_unref(bytes)
  }

  public func say(_ text: String) { gtk_label_set_text(OpaquePointer(label), text) }

  /// The height of the text and the button below the picture, at least.
  public static let footHeight = 110.0

  /// Moves the picture to a rectangle of the window's content.
  public func move(x: Double, y: Double, width: Double, height: Double) {
    func margin(_ length: Double) -> gint { gint(max(0, min(length, 8192))) }
    gtk_widget_set_halign(widget, GTK_ALIGN_START)
    gtk_widget_set_valign(widget, GTK_ALIGN_START)
    gtk_widget_set_margin_start(widget, margin(x))
    gtk_widget_set_margin_top(widget, margin(y))
    gtk_widget_set_size_request(picture, margin(width), margin(height))
  }

  /// Presses the button, for tests.
  package func press() { gtk_widget_activate(button) }

  package var text: String { gtk_label_get_text(OpaquePointer(label)).map { String(cString: $0) } ?? "" }

  func focus() { gtk_widget_grab_focus(button) }

  func end() { signals.disconnectAll() }
}

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
    signals.on(gpointer(button), "clicked", self) { $0.onPress() }
  }

  func press() { gtk_widget_activate(button) }

  func focus() { gtk_widget_grab_focus(button) }

  func end() { signals.disconnectAll() }
}
