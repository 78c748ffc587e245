import CTesseraWebKitGTK
import FCKOnboardingFlow
import TesseraWebContent

/// A picture: a `GtkPicture` below a spinner while it is loaded. A grey place holder stays if it cannot be.
@MainActor
final class PictureWidget: PressableWidget {
  private enum State { case waiting, shown, failed }

  private let picture: UnsafeMutablePointer<GtkWidget>
  private let spinner: UnsafeMutablePointer<GtkWidget>
  private var address: String?
  private var state = State.waiting
  private var loading: Task<Void, Never>?
  /// Counts as used memory as long as it is shown.
  private var shown: FlowPicture?

  init(_ node: RenderNode, _ context: WidgetContext) {
    picture = gtk_picture_new()
    gtk_picture_set_can_shrink(OpaquePointer(picture), 1)
    spinner = gtk_spinner_new()
    gtk_widget_set_halign(spinner, GTK_ALIGN_CENTER)
    gtk_widget_set_valign(spinner, GTK_ALIGN_CENTER)
    gtk_widget_set_can_target(spinner, 0)
    let overlay = gtk_overlay_new()!
    gtk_overlay_set_child(OpaquePointer(overlay), picture)
    gtk_overlay_add_overlay(OpaquePointer(overlay), spinner)
    // The corners of the picture are those of the box.
    gtk_widget_set_overflow(overlay, GTK_OVERFLOW_HIDDEN)
    // The picture has the description. Without one it is decoration.
    if node.name == nil || node.isTappable { Accessible.setRole(GTK_ACCESSIBLE_ROLE_PRESENTATION, picture) }
    super.init(node, content: overlay, context)
    gtk_widget_set_overflow(widget, GTK_OVERFLOW_HIDDEN)
  }

  override var css: String {
    super.css + (state == .shown ? "" : "&{background-color:rgba(128,128,128,0.3);}")
  }

  override func redraw() {
    guard case .picture(let content) = node.content else { return }
    load(content.address)
    super.redraw()
    gtk_picture_set_content_fit(
      OpaquePointer(picture), content.fit == .cover ? GTK_CONTENT_FIT_COVER : GTK_CONTENT_FIT_CONTAIN)
    gtk_picture_set_alternative_text(OpaquePointer(picture), node.name ?? "")
    if let name = node.name { Accessible.setLabel(name, picture) }
    let isWaiting = state == .waiting
    gtk_spinner_set_spinning(OpaquePointer(spinner), isWaiting.gboolean)
    gtk_widget_set_visible(spinner, isWaiting.gboolean)
  }

  private func load(_ address: String?) {
    guard let address else {
      state = .failed
      return
    }
    guard address != self.address else { return }
    self.address = address
    if let picture = context.pictures.cached(address) { return show(picture) }
    state = .waiting
    loading?.cancel()
    loading = Task { [weak self, pictures = context.pictures] in
      let picture = await pictures.picture(address)
      guard !Task.isCancelled, let self, self.address == address else { return }
      context.draw {
        self.show(picture)
        self.redraw()
      }
    }
  }

  private func show(_ picture: FlowPicture?) {
    state = picture == nil ? .failed : .shown
    shown = picture
    if let picture { gtk_picture_set_paintable(OpaquePointer(self.picture), picture.texture) }
  }

  override func end() {
    super.end()
    loading?.cancel()
  }
}
