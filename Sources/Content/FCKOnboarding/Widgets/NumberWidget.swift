import CTesseraWebKitGTK
import FCKOnboardingFlow
import TesseraWebContent

/// A number: a `GtkSpinButton` whose text is that of the flow, also while it is no number yet.
@MainActor
final class NumberWidget: FieldWidget {
  private let range: FlowNumberRange
  private let signals = Signals()
  /// The number of the text. The adjustment has it, too, so that a step begins there.
  private var shown: Double

  init(_ node: RenderNode, _ range: FlowNumberRange, _ context: WidgetContext) {
    self.range = range
    shown = range.value(of: "", context.words.numberFormat)
    let reach = range.reach(from: shown)
    let adjustment = gtk_adjustment_new(shown, reach.lowerBound, reach.upperBound, range.step, range.step, 0)
    let spin = gtk_spin_button_new(adjustment, 0, 0)!
    gtk_widget_set_hexpand(spin, 1)
    gtk_editable_set_width_chars(OpaquePointer(spin), 4)
    if !range.showsStepper { Self.hideButtons(spin) }
    super.init(node, row: spin, control: spin, context)
    // The flow says what the text is; GTK would write the value of the adjustment.
    signals.answer(gpointer(spin), "output", self) { _ in true }
    // The flow says which number a text is, for example one with a comma; GTK would read it before each step.
    signals.answer(gpointer(spin), "input", self, UnsafeMutablePointer<Double>?.self) { widget, value in
      value?.pointee = widget.shown
      return true
    }
    actions.on(spin, "changed") { [weak self] in self?.changed() }
    actions.on(spin, "value-changed") { [weak self] in self?.stepped() }
    // A spin button itself says nothing when the user presses Enter.
    if let inner = gtk_editable_get_delegate(OpaquePointer(spin)) {
      actions.on(object(inner), "activate") { [weak self] in self?.left() }
    }
    actions.onLeave(spin) { [weak self] in self?.left() }
    if node.isTappable { actions.onClick(spin) { [weak self] in self?.clicked() } }
  }

  isolated deinit { signals.disconnectAll() }

  private static func hideButtons(_ spin: UnsafeMutablePointer<GtkWidget>) {
    var child = gtk_widget_get_first_child(spin)
    while let part = child {
      let instance = UnsafeMutableRawPointer(part).assumingMemoryBound(to: GTypeInstance.self)
      if g_type_check_instance_is_a(instance, gtk_button_get_type()) != 0 { gtk_widget_set_visible(part, 0) }
      child = gtk_widget_get_next_sibling(part)
    }
  }

  private var content: RenderEntry? { if case .entry(let entry) = node.content { entry } else { nil } }

  override var words: Words {
    guard let content else { return super.words }
    return Words(
      label: content.label, labelColor: content.labelColor, isRequired: content.isRequired, problem: content.problem)
  }

  override var css: String { super.css + (content.map { EntryStyle.css($0, selector: "& spinbutton") } ?? "") }

  override func redraw() {
    super.redraw()
    guard let content else { return }
    Accessible.setRequired(content.isRequired, control)
    setPlaceholder(content.placeholder)
    EditableText.set(content.text, control)
    follow(content.text)
  }

  private func follow(_ text: String) {
    shown = range.value(of: text, context.words.numberFormat)
    let reach = range.reach(from: shown)
    gtk_adjustment_configure(
      gtk_spin_button_get_adjustment(OpaquePointer(control)), shown, reach.lowerBound, reach.upperBound, range.step,
      range.step, 0)
  }

  /// A spin button has no placeholder; the text in it has.
  private func setPlaceholder(_ text: String) {
    guard let inner = gtk_editable_get_delegate(OpaquePointer(control)) else { return }
    gtk_text_set_placeholder_text(object(inner), text)
  }

  private func changed() {
    let text = EditableText.of(control)
    context.draw { follow(text) }
    context.send(.text(node.id, text))
  }

  /// A press on a button, an arrow key or the wheel. The flow takes the step, so that its rules for the last digits
  /// and the limits hold.
  private func stepped() {
    let way = gtk_spin_button_get_value(OpaquePointer(control)) - shown
    guard way != 0, range.step > 0 else { return }
    // The last step before a limit is shorter.
    let count = min(max(1, (abs(way) / range.step).rounded()), 1_000_000)
    context.send(.step(node.id, by: way > 0 ? Int(count) : -Int(count)))
    // Where the flow stays at its number, so does the adjustment.
    context.draw { gtk_spin_button_set_value(OpaquePointer(control), shown) }
  }

  private func left() { context.send(.commit(node.id)) }
  private func clicked() { context.send(.tap(node.id)) }

  override func end() {
    super.end()
    signals.disconnectAll()
  }
}
