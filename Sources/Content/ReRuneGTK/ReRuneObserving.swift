public import CTesseraWebKitGTK
import ReRune

/// Shows texts that can change in a widget of GTK: runs `bind` at once, and again after each change of the texts of
/// `ReRune`, until the widget is destroyed.
///
/// The main actor must run in GTK's main loop (`MainLoop.serveMainActor`). The observation keeps no reference to the
/// widget; what `bind` captures is released with it.
///
/// - Parameters:
///   - widget: for example a `GtkLabel`.
///   - bind: sets the texts of the widget that it receives.
@MainActor
public func reRuneObserveRevision(
  of widget: UnsafeMutablePointer<GtkWidget>, _ bind: @escaping @MainActor (UnsafeMutablePointer<GtkWidget>) -> Void
) {
  WidgetBinding.start(widget, ReRune.shared.changes(), bind)
}

/// The binding of one widget. GObject owns it until the widget is destroyed.
@MainActor
package final class WidgetBinding {
  private var widget: UnsafeMutablePointer<GtkWidget>?
  private var bind: (@MainActor (UnsafeMutablePointer<GtkWidget>) -> Void)?
  private var observation: Task<Void, Never>?

  private init(
    _ widget: UnsafeMutablePointer<GtkWidget>, _ bind: @escaping @MainActor (UnsafeMutablePointer<GtkWidget>) -> Void
  ) {
    self.widget = widget
    self.bind = bind
  }

  /// - Parameter changes: a stream without a value at its start. It exists before the first bind, so no change is missed.
  package static func start(
    _ widget: UnsafeMutablePointer<GtkWidget>, _ changes: AsyncStream<Int>,
    _ bind: @escaping @MainActor (UnsafeMutablePointer<GtkWidget>) -> Void
  ) {
    let binding = WidgetBinding(widget, bind)
    g_object_weak_ref(
      UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self),
      { data, _ in
        guard let data else { return }
        let binding = Unmanaged<WidgetBinding>.fromOpaque(data).takeRetainedValue()
        // GTK destroys widgets on its main thread, which is that of the main actor.
        MainActor.assumeIsolated { binding.end() }
      }, Unmanaged.passRetained(binding).toOpaque())
    bind(widget)
    // The first bind may have destroyed the widget.
    guard binding.widget != nil else { return }
    binding.observation = Task { [weak binding] in
      for await _ in changes { binding?.run() }
    }
  }

  private func run() {
    guard let widget else { return }
    bind?(widget)
  }

  private func end() {
    widget = nil
    bind = nil
    observation?.cancel()
  }
}
