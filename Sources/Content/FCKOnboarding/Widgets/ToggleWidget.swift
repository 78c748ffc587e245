import CTesseraWebKitGTK
import FCKOnboardingFlow
import TesseraWebContent

/// A `GtkSwitch` beside its label.
@MainActor
final class ToggleWidget: NodeWidget {
  private let label = TextLabel.make()
  private let control = gtk_switch_new()!

  init(_ node: RenderNode, _ context: WidgetContext) {
    let box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12)!
    gtk_label_set_xalign(OpaquePointer(label), 0)
    gtk_widget_set_hexpand(label, 1)
    gtk_widget_set_valign(control, GTK_ALIGN_CENTER)
    var isLabelFirst = true
    if case .toggle(let toggle) = node.content { isLabelFirst = toggle.labelPosition == .left }
    for part in isLabelFirst ? [label, control] : [control, label] { gtk_box_append(object(box), part) }
    super.init(node, box, context)
    // Not `state-set`: the switch follows the flow.
    actions.onChange(of: "active", control) { [weak self] in self?.changed() }
    actions.onClick(label) { [weak self] in self?.toggleByLabel() }
  }

  override var focusTarget: UnsafeMutablePointer<GtkWidget> { control }

  private var content: RenderToggle? { if case .toggle(let toggle) = node.content { toggle } else { nil } }

  override var css: String {
    guard let content else { return super.css }
    var rules = CSSText.color(content.labelColor).map { "&>label{color:\($0);}" } ?? ""
    let plain = "background-image:none;box-shadow:none;border-color:transparent;"
    rules += "&>switch:checked{background-color:\(CSSText.color(content.onColor));\(plain)}"
    if let color = content.offColor {
      rules += "&>switch:not(:checked){background-color:\(CSSText.color(color));\(plain)}"
    }
    let thumb = content.thumbColor.map { "background-color:\(CSSText.color($0));background-image:none;" } ?? ""
    rules += "&>switch>slider{border-color:rgba(0,0,0,0.2);\(thumb)}"
    return super.css + rules + FocusStyle.css("&>switch")
  }

  override func redraw() {
    super.redraw()
    guard let content else { return }
    TextLabel.set(content.label, label)
    gtk_widget_set_visible(label, (!content.label.isEmpty).gboolean)
    Accessible.setLabel(node.name, control)
    gtk_switch_set_active(OpaquePointer(control), content.isOn.gboolean)
  }

  private func changed() {
    context.send(.toggle(node.id, isOn: gtk_switch_get_active(OpaquePointer(control)) != 0))
  }

  private func toggleByLabel() {
    gtk_switch_set_active(OpaquePointer(control), (gtk_switch_get_active(OpaquePointer(control)) == 0).gboolean)
  }
}
