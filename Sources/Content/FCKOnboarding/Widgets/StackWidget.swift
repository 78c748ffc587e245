import CTesseraWebKitGTK
import FCKOnboardingFlow
import TesseraWebContent

/// A stack: a `GtkBox` whose children `StackLayout` places.
@MainActor
final class StackWidget: PressableWidget {
  private let area: StackArea

  init(_ node: RenderNode, _ context: WidgetContext) {
    area = StackArea(context)
    super.init(node, content: area.widget, context)
  }

  override var children: [NodeWidget] { area.layout.children }

  override func redraw() {
    super.redraw()
    if case .stack(let stack) = node.content { area.set(StackLayout.Rules(stack), node.children) }
  }
}

/// The box of a stack, or of a button with children.
@MainActor
final class StackArea {
  let widget: UnsafeMutablePointer<GtkWidget>
  let layout = StackLayout()
  private let connection: LayoutConnection
  private let context: WidgetContext

  init(_ context: WidgetContext) {
    self.context = context
    widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
    connection = LayoutConnection(widget, layout)
  }

  /// Children that are the same as before keep their widgets.
  func set(_ rules: StackLayout.Rules, _ nodes: [RenderNode]) {
    if layout.rules != rules {
      layout.rules = rules
      gtk_widget_queue_resize(widget)
    }
    let present = layout.children.map(\.node.id)
    if present == nodes.map(\.id) {
      for (child, node) in zip(layout.children, nodes) where child.node != node { child.update(node) }
      return
    }
    for child in layout.children {
      child.end()
      gtk_box_remove(object(widget), child.widget)
    }
    layout.children = nodes.map { context.make($0) }
    for child in layout.children { gtk_box_append(object(widget), child.widget) }
  }
}
