import CTesseraWebKitGTK

/// A modal dialog over a window: a question and some buttons. No page can reach or imitate it, since it is a window of
/// the desktop.
@MainActor
public final class ChoiceDialog {
  private let window: UnsafeMutablePointer<GtkWindow>
  private let signals = Signals()
  private var row: [UnsafeMutablePointer<GtkWidget>] = []
  /// A page can open the dialog while the user types or clicks. What was meant for the page must not answer it.
  private static let delay = Duration.milliseconds(500)
  private var continuation: CheckedContinuation<Int?, Never>?

  /// - Parameters:
  ///   - title: the question.
  ///   - message: what it is about.
  ///   - choices: the buttons. The first gets the focus, so it should be harmless.
  ///   - parent: the window below the dialog; nil for none.
  /// - Returns: the index of the pressed button; nil if the dialog was closed, with Escape for example, or if the task
  ///   was cancelled.
  public static func ask(
    title: String, message: String, choices: [String], over parent: ContentWindow?
  ) async -> Int? {
    let dialog = ChoiceDialog(title, message, choices, parent)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { dialog.show($0) }
    } onCancel: {
      Task { @MainActor in dialog.end(nil) }
    }
  }

  private init(_ title: String, _ message: String, _ choices: [String], _ parent: ContentWindow?) {
    window = object(gtk_window_new()!)
    gtk_window_set_title(window, title)
    if let parent { gtk_window_set_transient_for(window, parent.window) }
    gtk_window_set_modal(window, 1)
    gtk_window_set_resizable(window, 0)
    gtk_window_set_destroy_with_parent(window, 0)
    let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 24)!
    for set in [
      gtk_widget_set_margin_top, gtk_widget_set_margin_bottom, gtk_widget_set_margin_start, gtk_widget_set_margin_end,
    ] { set(box, 24) }
    let label = gtk_label_new(message)!
    gtk_label_set_wrap(OpaquePointer(label), 1)
    gtk_label_set_wrap_mode(OpaquePointer(label), PANGO_WRAP_WORD_CHAR)
    gtk_label_set_max_width_chars(OpaquePointer(label), 50)
    gtk_label_set_xalign(OpaquePointer(label), 0)
    gtk_box_append(object(box), label)
    let row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12)!
    gtk_box_set_homogeneous(object(row), 1)
    gtk_box_append(object(box), row)
    for (index, choice) in choices.enumerated() {
      let button = gtk_button_new_with_label(choice)!
      gtk_widget_set_hexpand(button, 1)
      gtk_widget_set_sensitive(button, 0)
      self.row.append(button)
      gtk_box_append(object(row), button)
      signals.on(gpointer(button), "clicked", self) { $0.end(index) }
    }
    gtk_window_set_child(window, box)
    signals.answer(gpointer(window), "close-request", self) {
      $0.end(nil)
      return true
    }
    signals.refuseInspector(of: window)
    let keys = gtk_event_controller_key_new()!
    signals.answer(gpointer(keys), "key-pressed", self, guint.self) { dialog, key in
      guard key == GDK_KEY_Escape else { return false }
      dialog.end(nil)
      return true
    }
    gtk_widget_add_controller(object(window), keys)
  }

  private func show(_ continuation: CheckedContinuation<Int?, Never>) {
    self.continuation = continuation
    guard !Task.isCancelled else { return end(nil) }
    gtk_window_present(window)
    Task { @MainActor in
      try? await Task.sleep(for: Self.delay)
      guard self.continuation != nil else { return }
      for button in row { gtk_widget_set_sensitive(button, 1) }
      if let first = row.first { gtk_widget_grab_focus(first) }
    }
  }

  private func end(_ choice: Int?) {
    guard let continuation else { return }
    self.continuation = nil
    signals.disconnectAll()
    gtk_window_destroy(window)
    continuation.resume(returning: choice)
  }
}
