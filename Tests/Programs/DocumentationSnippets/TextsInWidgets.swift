import ReRuneGTK

/// A label whose text follows the server.
@MainActor
func titleLabel() -> UnsafeMutablePointer<GtkWidget>? {
  let label = gtk_label_new(nil)
  if let label {
    reRuneObserveRevision(of: label) { gtk_label_set_text(OpaquePointer($0), reRuneString("home_title")) }
  }
  return label
}
