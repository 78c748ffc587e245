import CTesseraWebKitGTK

/// Calls a function before each frame of a widget.
@MainActor
final class FrameCallbacks {
  private let widget: UnsafeMutablePointer<GtkWidget>
  private let body: @MainActor (Duration) -> Bool
  /// nil when no more frames are wanted.
  private var identifier: guint?

  init(of widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor (Duration) -> Bool) {
    self.widget = widget
    self.body = body
    g_object_ref(gpointer(widget))
    identifier = gtk_widget_add_tick_callback(
      widget,
      { _, clock, owner in
        guard let clock, let owner else { return 0 }
        return MainActor.assumeIsolated {
          Unmanaged<FrameCallbacks>.fromOpaque(owner).takeUnretainedValue().tick(clock).gboolean
        }
      }, Unmanaged.passUnretained(self).toOpaque(), nil)
  }

  isolated deinit {
    stop()
    g_object_unref(gpointer(widget))
  }

  func stop() {
    guard let identifier else { return }
    self.identifier = nil
    gtk_widget_remove_tick_callback(widget, identifier)
  }

  /// - Returns: whether to go on.
  private func tick(_ clock: OpaquePointer) -> Bool {
    let goesOn = body(.microseconds(gdk_frame_clock_get_frame_time(clock)))
    // The body may have stopped the callbacks.
    guard identifier != nil else { return false }
    if !goesOn { identifier = nil }
    return goesOn
  }
}
