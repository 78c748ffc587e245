import CTesseraWebKitGTK
import TesseraBridge
import TesseraWebContent

/// The handlers of signals: what they receive and answer, and how long they live.
@MainActor
enum SignalHandlers {
  private final class Owner {
    var calls: [String] = []
  }

  static func run(_ arguments: [String]) async throws {
    let signals = Signals()
    let log = Owner()
    let buffer = gtk_entry_buffer_new("", -1)!
    signals.on(gpointer(buffer), "inserted-text", log, guint.self, String?.self, guint.self) {
      $0.calls.append("\($1) \($2 ?? "nothing") \($3)")
    }
    signals.on(gpointer(buffer), "notify::length", log) { $0.calls.append("length") }
    gtk_entry_buffer_set_text(buffer, "grüß", -1)
    let spin = gtk_spin_button_new_with_range(0, 10, 1)!
    g_object_ref_sink(gpointer(spin))
    signals.answer(gpointer(spin), "input", log, UnsafeMutablePointer<Double>?.self) {
      $0.calls.append("input")
      $1?.pointee = 7
      return true
    }
    signals.answer(gpointer(spin), "output", log) { _ in true }
    gtk_spin_button_update(OpaquePointer(spin))
    observe("calls", .array(log.calls.map(JSONValue.string)))
    observe("input", .integer(Int64(gtk_spin_button_get_value(OpaquePointer(spin)))))

    var gone: Owner? = Owner()
    weak var held: Owner?
    if let gone {
      let kept = Owner()
      held = kept
      signals.on(gpointer(buffer), "deleted-text", gone) { _ in
        kept.calls.append("called")
        log.calls.append("of another owner")
      }
    }
    log.calls = []
    gone = nil
    gtk_entry_buffer_set_text(buffer, "", -1)
    observe("without the owner", .array(log.calls.map(JSONValue.string)))
    observe("kept", .bool(held != nil))
    signals.disconnectAll()
    observe("released", .bool(held == nil))
    log.calls = []
    gtk_entry_buffer_set_text(buffer, "x", -1)
    observe("disconnected", .array(log.calls.map(JSONValue.string)))
    g_object_unref(gpointer(spin))
    g_object_unref(gpointer(buffer))
  }
}
