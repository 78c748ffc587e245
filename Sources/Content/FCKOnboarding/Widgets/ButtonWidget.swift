import CTesseraWebKitGTK
import FCKOnboardingFlow
import TesseraWebContent

/// A button: a `GtkButton` with its text, or with its children.
@MainActor
final class ButtonWidget: NodeWidget {
  private let label: UnsafeMutablePointer<GtkWidget>?
  private let area: StackArea?

  init(_ node: RenderNode, _ context: WidgetContext) {
    let button = gtk_button_new()!
    if node.children.isEmpty {
      let label = TextLabel.make()
      gtk_label_set_justify(OpaquePointer(label), GTK_JUSTIFY_CENTER)
      self.label = label
      area = nil
      gtk_button_set_child(object(button), label)
    } else {
      let area = StackArea(context)
      self.area = area
      label = nil
      gtk_button_set_child(object(button), area.widget)
    }
    super.init(node, button, context)
    actions.on(button, "clicked") { [weak self] in self?.pressed() }
  }

  private func pressed() { context.send(.tap(node.id)) }

  override var children: [NodeWidget] { area?.layout.children ?? [] }

  override var css: String {
    guard case .button(let button) = node.content else { return super.css }
    let color = CSSText.color(button.textColor).map { "&,& label{color:\($0);}" } ?? ""
    return super.css + color + "&{font-weight:600;}&:hover{filter:brightness(1.05);}" + FocusStyle.css("&")
  }

  override func redraw() {
    super.redraw()
    guard case .button(let button) = node.content else { return }
    if let label { TextLabel.set(button.text ?? "", label) }
    area?.set(StackLayout.Rules(), node.children)
    if let name = node.name { Accessible.setLabel(name, widget) }
  }
}
