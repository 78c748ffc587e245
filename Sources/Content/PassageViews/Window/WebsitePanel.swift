internal import CTesseraWebKitGTK
internal import PassageProtocol
internal import TesseraCore
internal import TesseraWebContent

/// A page in a sheet, below a header of 57 pixels with its host. It has no channel.
@MainActor
final class WebsitePanel {
  let sheet: SheetPanel
  let address: String
  private let view: ContentView
  private let signals = Signals()
  private let action: ButtonAction
  private static let headerHeight: Int32 = 57

  init(_ address: String, session: ContentSession, servers: PassageServers, onClose: @escaping @MainActor () -> Void) {
    self.address = address
    view = ContentView(session: session, rules: PageRules(rights: .none, servers: servers))
    view.refuseMenusWhileInsensitive()
    sheet = SheetPanel(part: 0.9, isTall: true, onClose: onClose)
    action = ButtonAction(onClose)
    let header: UnsafeMutablePointer<GtkWidget> = gtk_center_box_new()
    gtk_widget_set_size_request(header, -1, Self.headerHeight)
    let title = WidgetHelp.text(WebOrigin(url: address)?.host ?? "", style: "heading")
    gtk_label_set_wrap(OpaquePointer(title), 0)
    gtk_label_set_ellipsize(OpaquePointer(title), PANGO_ELLIPSIZE_MIDDLE)
    gtk_label_set_max_width_chars(OpaquePointer(title), 60)
    gtk_center_box_set_center_widget(OpaquePointer(header), title)
    let close = WidgetHelp.glyph("window-close-symbolic", size: 20, label: "Close")
    gtk_widget_set_valign(close, GTK_ALIGN_CENTER)
    gtk_widget_set_margin_end(close, 10)
    gtk_center_box_set_end_widget(OpaquePointer(header), close)
    WidgetHelp.onClick(close, signals, action)
    let box: UnsafeMutablePointer<GtkWidget> = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
    gtk_box_append(object(box), header)
    gtk_widget_set_vexpand(view.widget, 1)
    gtk_widget_set_size_request(view.widget, -1, 200)
    gtk_box_append(object(box), view.widget)
    gtk_widget_set_vexpand(box, 1)
    sheet.setContent(box)
    view.load(address)
  }

  func show() {
    sheet.setOpen(true)
    gtk_widget_grab_focus(view.widget)
  }

  func end() {
    signals.disconnectAll()
    sheet.end()
    view.close()
  }
}
