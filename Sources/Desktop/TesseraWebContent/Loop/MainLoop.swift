import CTesseraWebKitGTK
import Glibc
public import TesseraCore
import TesseraThreads

/// GLib's main loop, which also serves Swift's main actor: GTK calls its handlers on the thread of the main actor.
///
/// A program has a plain `main`. After the first `await` of an `async` main, code of the main actor would run on
/// another thread. No code of the main actor may start a nested GLib loop: the main actor would stand still in it.
@MainActor
public enum MainLoop {
  private static let loop = g_main_loop_new(nil, 0)
  private static var isServing = false

  /// Runs the loop until `body` has returned. Called once, on the main thread, from a plain `main`.
  ///
  /// - Returns: the value of `body`.
  public static func run<Result: Sendable>(_ body: @escaping @MainActor () async -> Result) -> Result? {
    serveMainActor()
    var result: Result?
    Task { @MainActor in
      result = await body()
      g_main_loop_quit(loop)
    }
    g_main_loop_run(loop)
    return result
  }

  /// Lets GLib's default loop serve the main actor. A program that already runs this loop, for example a GTK
  /// application, calls it once on the main thread.
  public static func serveMainActor() {
    guard !isServing else { return }
    isServing = true
    // An eventfd, which the main queue makes readable when it has work. It is level-triggered: without the read, the
    // loop would spin.
    let descriptor = _dispatch_get_main_queue_handle_4CF()
    g_unix_fd_add(
      descriptor, G_IO_IN,
      { descriptor, _, _ in
        var count: UInt64 = 0
        _ = read(descriptor, &count, MemoryLayout<UInt64>.size)
        _dispatch_main_queue_callback_4CF(nil)
        return 1
      }, nil)
  }

  /// Finds out whether GLib's loop runs, without which a window shows nothing and is never closed. It does where it runs
  /// the caller, and returns at once. Otherwise it is asked to call back: who waits here may be served by another loop
  /// while this one runs, too.
  ///
  /// - Throws: `Failure` of the kind `usage` if the loop has not called back within five seconds.
  package static func requireRunning() async throws(Failure) {
    // The number of sources of GLib whose functions this thread is in.
    guard g_main_depth() == 0 else { return }
    let answer = FirstResult<Bool>()
    // Before all other sources, whatever a busy loop has to do.
    let source = g_idle_source_new()
    g_source_set_priority(source, G_PRIORITY_HIGH)
    g_source_set_callback(
      source,
      { answer in
        if let answer { Unmanaged<FirstResult<Bool>>.fromOpaque(answer).takeUnretainedValue().settle(.success(true)) }
        return 0  // G_SOURCE_REMOVE
      }, Unmanaged.passRetained(answer).toOpaque(),
      { answer in if let answer { Unmanaged<FirstResult<Bool>>.fromOpaque(answer).release() } })
    g_source_attach(source, nil)
    let timer = Task.detached {
      try? await Task.sleep(for: .seconds(5))
      answer.settle(.success(false))
    }
    let isRunning = (try? await answer.value) ?? false
    timer.cancel()
    g_source_destroy(source)
    g_source_unref(source)
    guard isRunning else {
      throw Failure(
        .usage, "GLib's main loop does not run, so that no window can be shown.",
        remedy: "Run the program by MainLoop.run, in a main without await: exit(MainLoop.run { await show() } ?? 1)")
    }
  }

  /// The time of GLib's monotonic clock, which is also that of the frames of windows.
  public static var now: Duration { .microseconds(g_get_monotonic_time()) }

  /// A setting of the desktop that GTK knows; nil without a display.
  static func setting(_ name: String) -> Bool? {
    guard let settings = gtk_settings_get_default() else { return nil }
    var value = GValue()
    g_value_init(&value, GType(5 << 2))
    defer { g_value_unset(&value) }
    g_object_get_property(UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self), name, &value)
    return g_value_get_boolean(&value) != 0
  }

  private static func setSetting(_ name: String, _ isOn: Bool) {
    guard let settings = gtk_settings_get_default() else { return }
    var value = GValue()
    g_value_init(&value, GType(5 << 2))  // G_TYPE_BOOLEAN, a macro that Swift does not import
    defer { g_value_unset(&value) }
    g_value_set_boolean(&value, isOn.gboolean)
    g_object_set_property(UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self), name, &value)
  }

  /// Connects to the display (`$WAYLAND_DISPLAY` or `$DISPLAY`).
  ///
  /// - Throws: `Failure` of the kind `serviceUnavailable` if there is none.
  public static func openDisplay() throws(Failure) {
    guard gtk_init_check() != 0 else {
      throw Failure(
        .serviceUnavailable, "There is no display to open a window on.",
        remedy: "Run the program in a desktop session, or set WAYLAND_DISPLAY or DISPLAY.")
    }
    // Assistive technology names the program by it.
    if g_get_application_name() == nil { g_set_application_name("Tessera") }
    // The desktop's list of recent files would keep the names of saved reports.
    setSetting("gtk-recent-files-enabled", false)
  }
}
