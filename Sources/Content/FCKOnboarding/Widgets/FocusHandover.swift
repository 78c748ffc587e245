import CTesseraWebKitGTK

/// The keyboard's focus of a widget whose content is replaced. It is asked before the old content goes away.
@MainActor
struct FocusHandover {
  /// Whether the focus is in the widget, or nowhere in the window. A program may have given it to another part.
  private let isDue: Bool

  init(_ widget: UnsafeMutablePointer<GtkWidget>) {
    guard let root = gtk_widget_get_root(widget) else {
      isDue = false
      return
    }
    isDue = gtk_root_get_focus(root).map { $0 == widget || gtk_widget_is_ancestor($0, widget) != 0 } ?? true
  }

  /// Gives the focus to the new content, if the old one had it.
  func finish(_ focusFirst: () -> Void) {
    if isDue { focusFirst() }
  }
}
