import CTesseraWebKitGTK

extension ContentView {
  /// A picture of the visible part of the page, also of a view that is shown with the opacity 0.
  ///
  /// - Throws: `ContentFailure.loadFailed` if there is no page, `ScriptFailure.timeLimit`, or `CancellationError`.
  package func picture(
    _ options: ContentPicture.Options, within limit: Duration = .seconds(5)
  ) async throws -> ContentPicture {
    guard hasPage else { throw ContentFailure.loadFailed(reason: "There is no page.") }
    return try await PendingResult<ContentPicture>.value(within: limit, otherwise: ScriptFailure.timeLimit(limit)) {
      webkit_web_view_get_snapshot(
        webView, WEBKIT_SNAPSHOT_REGION_VISIBLE, WEBKIT_SNAPSHOT_OPTIONS_NONE, nil, AsyncCallback.function, $0)
    } finish: { source, result in
      var error: UnsafeMutablePointer<GError>?
      let view = source.assumingMemoryBound(to: WebKitWebView.self)
      guard let texture = webkit_web_view_get_snapshot_finish(view, result, &error) else {
        throw ContentFailure.loadFailed(reason: AsyncCallback.message(&error))
      }
      defer { g_object_unref(gpointer(texture)) }
      return try ContentPicture(texture, options)
    }
  }
}

extension ContentPicture {
  /// A picture of a widget as it is drawn in its window.
  ///
  /// - Throws: `ContentFailure.loadFailed` if the widget is not shown, or `CancellationError`.
  @MainActor
  package static func picture(
    of widget: UnsafeMutablePointer<GtkWidget>, _ options: Options, within limit: Duration = .seconds(2)
  ) async throws -> ContentPicture {
    g_object_ref(gpointer(widget))
    defer { g_object_unref(gpointer(widget)) }
    let end = MainLoop.now + limit
    while true {
      if let picture = try drawn(widget, options) { return picture }
      guard MainLoop.now < end else { throw ContentFailure.loadFailed(reason: "The window is not drawn.") }
      try await Task.sleep(for: .milliseconds(15))
    }
  }

  /// - Returns: nil while a change of the widget waits for the next frame: then GTK has no picture of it.
  @MainActor
  private static func drawn(_ widget: UnsafeMutablePointer<GtkWidget>, _ options: Options) throws -> ContentPicture? {
    let size = (width: gtk_widget_get_width(widget), height: gtk_widget_get_height(widget))
    guard size.width > 0, size.height > 0, gtk_widget_get_mapped(widget) != 0,
      let native = gtk_widget_get_native(widget), let renderer = gtk_native_get_renderer(native),
      let snapshot = gtk_snapshot_new()
    else { throw ContentFailure.loadFailed(reason: "The window is not shown.") }
    let paintable = gtk_widget_paintable_new(widget)
    gdk_paintable_snapshot(paintable, snapshot, Double(size.width), Double(size.height))
    let node = gtk_snapshot_free_to_node(snapshot)
    g_object_unref(gpointer(paintable))
    guard let node else { return nil }
    defer { gsk_render_node_unref(node) }
    guard let texture = gsk_renderer_render_texture(renderer, node, nil) else {
      throw ContentFailure.loadFailed(reason: "The window cannot be drawn.")
    }
    defer { g_object_unref(gpointer(texture)) }
    return try ContentPicture(texture, options)
  }
}
