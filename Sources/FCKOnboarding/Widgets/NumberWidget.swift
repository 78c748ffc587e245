#if canImport(CTesseraWebKitGTK)
  import CTesseraWebKitGTK
  import FCKOnboardingFlow
  import TesseraWebContent

  /// A number: a `GtkSpinButton` whose text is that of the flow, also while it is no number yet.
  @MainActor
  final class NumberWidget: FieldWidget {
    private let range: FlowNumberRange
    private let signals = Signals()
    /// The value of the adjustment that the text stands for.
    private var shown: Double

    init(_ node: RenderNode, _ range: FlowNumberRange, _ context: WidgetContext) {
      self.range = range
      shown = range.minimum
      let adjustment = gtk_adjustment_new(range.minimum, range.minimum, range.maximum, range.step, range.step, 0)
      let spin = gtk_spin_button_new(adjustment, 0, 0)!
      gtk_widget_set_hexpand(spin, 1)
      gtk_editable_set_width_chars(OpaquePointer(spin), 4)
      if !range.showsStepper { Self.hideButtons(spin) }
      super.init(node, row: spin, control: spin, context)
      // The flow says what the text is; GTK would write the value of the adjustment.
      signals.connect(
        gpointer(spin), "output", to: self, { _, _ in 1 } as @convention(c) (gpointer?, gpointer?) -> gboolean)
      actions.on(spin, "changed") { [weak self] in self?.changed() }
      actions.on(spin, "value-changed") { [weak self] in self?.stepped() }
      // A spin button itself says nothing when the person presses Enter.
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
      shown = Double(content.text).map { min(max($0, range.minimum), range.maximum) } ?? range.minimum
      gtk_spin_button_set_value(OpaquePointer(control), shown)
    }

    /// A spin button has no placeholder; the text in it has.
    private func setPlaceholder(_ text: String) {
      guard let inner = gtk_editable_get_delegate(OpaquePointer(control)) else { return }
      gtk_text_set_placeholder_text(object(inner), text)
    }

    private func changed() { context.send(.text(node.id, EditableText.of(control))) }

    /// A press on a button, an arrow key or the wheel; or GTK read the text, which the flow has already.
    private func stepped() {
      let value = gtk_spin_button_get_value(OpaquePointer(control))
      guard value != Double(EditableText.of(control)), range.step > 0 else { return }
      let steps = ((value - shown) / range.step).rounded()
      guard steps != 0, abs(steps) <= 1_000_000 else { return }
      context.send(.step(node.id, by: Int(steps)))
    }

    private func left() { context.send(.commit(node.id)) }
    private func clicked() { context.send(.tap(node.id)) }

    override func end() {
      super.end()
      signals.disconnectAll()
    }
  }
#endif
