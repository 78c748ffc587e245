import CTesseraWebKitGTK
import FCKOnboardingFlow
import TesseraWebContent

/// A node whose content can be pressed: a flat button is then around it.
@MainActor
class PressableWidget: NodeWidget {
  /// What the node draws.
  let content: UnsafeMutablePointer<GtkWidget>

  init(_ node: RenderNode, content: UnsafeMutablePointer<GtkWidget>, _ context: WidgetContext) {
    self.content = content
    guard node.isTappable else {
      super.init(node, content, context)
      return
    }
    let button = gtk_button_new()!
    gtk_widget_add_css_class(button, "flat")
    gtk_button_set_child(object(button), content)
    super.init(node, button, context)
    if node.role == .group {
      Accessible.setRole(GTK_ACCESSIBLE_ROLE_GROUP, button)
      letControlsGoFirst(button)
    }
    actions.on(button, "clicked") { [weak self] in self?.pressed() }
  }

  private func pressed() { context.send(.tap(node.id)) }

  /// A button takes the events of what is in it, unless its gesture comes last.
  private func letControlsGoFirst(_ button: UnsafeMutablePointer<GtkWidget>) {
    guard let controllers = gtk_widget_observe_controllers(button) else { return }
    defer { g_object_unref(gpointer(controllers)) }
    for index in 0..<g_list_model_get_n_items(controllers) {
      guard let controller = g_list_model_get_item(controllers, index) else { continue }
      defer { g_object_unref(controller) }
      if g_type_check_instance_is_a(
        controller.assumingMemoryBound(to: GTypeInstance.self), gtk_gesture_click_get_type())
        != 0
      {
        gtk_event_controller_set_propagation_phase(OpaquePointer(controller), GTK_PHASE_BUBBLE)
      }
    }
  }

  override var css: String {
    super.css + (node.isTappable ? FocusStyle.css("&") + "&,&:hover,&:active{color:inherit;}" : "")
  }

  override func redraw() {
    super.redraw()
    if node.isTappable, let name = node.name { Accessible.setLabel(name, widget) }
  }
}

/// The line around what has the keyboard's focus. It is outside of the widget, since the author's colours are inside.
enum FocusStyle {
  static func css(_ selector: String) -> String {
    "\(selector){outline:0 solid transparent;outline-offset:2px;}"
      + "\(selector):focus-visible{\(line)}"
  }

  /// The same for a widget that contains what has the focus, such as a field.
  static func within(_ selector: String) -> String { "\(selector):focus-within{\(line)}" }

  private static let line = "outline:2px solid @theme_selected_bg_color;outline-offset:2px;"
}
