import CTesseraWebKitGTK

extension ContentView {
  /// Writes a picture of the visible part of the page as PNG.
  ///
  /// - Throws: `ContentFailure.loadFailed` if there is no page, or if the file cannot be written.
  public func saveSnapshot(to path: String) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      webkit_web_view_get_snapshot(
        webView, WEBKIT_SNAPSHOT_REGION_VISIBLE, WEBKIT_SNAPSHOT_OPTIONS_NONE, nil,
        { source, result, waiting in
          guard let waiting, let source else { return }
          let snapshot = Unmanaged<Snapshot>.fromOpaque(waiting).takeRetainedValue()
          var error: UnsafeMutablePointer<GError>?
          let texture = webkit_web_view_get_snapshot_finish(object(source), result, &error)
          defer { if let texture { g_object_unref(gpointer(texture)) } }
          let message = error.map { String(cString: $0.pointee.message) } ?? "The picture cannot be written."
          g_clear_error(&error)
          if let texture, gdk_texture_save_to_png(texture, snapshot.path) != 0 {
            snapshot.continuation.resume()
          } else {
            snapshot.continuation.resume(throwing: ContentFailure.loadFailed(reason: message))
          }
        }, Unmanaged.passRetained(Snapshot(path: path, continuation: continuation)).toOpaque())
    }
  }
}

private final class Snapshot {
  let path: String
  let continuation: CheckedContinuation<Void, any Error>

  init(path: String, continuation: CheckedContinuation<Void, any Error>) {
    self.path = path
    self.continuation = continuation
  }
}
