import CTesseraWebKitGTK
import FCKOnboardingFlow
import TesseraWebContent

/// A line of text: a `GtkEntry`, after a flag if it is for a phone number.
@MainActor
final class EntryWidget: FieldWidget {
  private let flag: UnsafeMutablePointer<GtkWidget>?

  init(_ node: RenderNode, _ context: WidgetContext) {
    let entry = gtk_entry_new()!
    let row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8)!
    gtk_widget_set_hexpand(entry, 1)
    // The smallest width is that of the layout.
    gtk_editable_set_width_chars(OpaquePointer(entry), 4)
    var kind: RenderEntry.Kind?
    if case .entry(let content) = node.content { kind = content.kind }
    if case .phone(let text?) = kind {
      let label = gtk_label_new(text)!
      Accessible.setRole(GTK_ACCESSIBLE_ROLE_PRESENTATION, label)
      gtk_widget_add_css_class(label, "fck-flag")
      gtk_box_append(object(row), label)
      flag = label
    } else {
      flag = nil
    }
    gtk_box_append(object(row), entry)
    super.init(node, row: row, control: entry, context)
    gtk_entry_set_input_purpose(object(entry), Self.purpose(kind))
    actions.on(entry, "changed") { [weak self] in self?.changed() }
    actions.on(entry, "activate") { [weak self] in self?.left() }
    actions.onLeave(entry) { [weak self] in self?.left() }
    if node.isTappable { actions.onClick(entry) { [weak self] in self?.clicked() } }
  }

  private static func purpose(_ kind: RenderEntry.Kind?) -> GtkInputPurpose {
    switch kind {
    case .email: GTK_INPUT_PURPOSE_EMAIL
    case .phone: GTK_INPUT_PURPOSE_PHONE
    case .number: GTK_INPUT_PURPOSE_NUMBER
    case .text, nil: GTK_INPUT_PURPOSE_FREE_FORM
    }
  }

  private var content: RenderEntry? { if case .entry(let entry) = node.content { entry } else { nil } }

  override var words: Words {
    guard let content else { return super.words }
    return Words(
      label: content.label, labelColor: content.labelColor, isRequired: content.isRequired, problem: content.problem)
  }

  override var css: String {
    guard let content else { return super.css }
    let flag = CSSText.color(content.labelColor).map { "& label.fck-flag{color:\($0);}" } ?? ""
    return super.css + EntryStyle.css(content, selector: "& entry") + flag + "& label.fck-flag{font-size:24px;}"
  }

  override func redraw() {
    super.redraw()
    guard let content else { return }
    gtk_entry_set_placeholder_text(object(control), content.placeholder)
    Accessible.setRequired(content.isRequired, control)
    EditableText.set(content.text, control)
  }

  private func changed() { context.send(.text(node.id, EditableText.of(control))) }
  private func left() { context.send(.commit(node.id)) }
  private func clicked() { context.send(.tap(node.id)) }
}

/// The colours of a field.
enum EntryStyle {
  static func css(_ entry: RenderEntry, selector: String) -> String {
    var text = "min-height:36px;"
    if let background = entry.fieldBackground {
      text += "background-color:\(CSSText.color(background));background-image:none;"
    }
    if let color = CSSText.color(entry.textColor) { text += "color:\(color);caret-color:\(color);" }
    if let border = entry.fieldBorder, entry.problem == nil { text += CSSText.border(border) + "box-shadow:none;" }
    var rules = "\(selector){\(text)}" + FocusStyle.within(selector)
    if let color = CSSText.color(entry.textColor) {
      rules += "\(selector)>text>placeholder{color:\(color);opacity:0.55;}"
    }
    return rules
  }
}

/// The text of a widget in which the user types.
@MainActor
enum EditableText {
  static func of(_ widget: UnsafeMutablePointer<GtkWidget>) -> String {
    gtk_editable_get_text(OpaquePointer(widget)).map { String(cString: $0) } ?? ""
  }

  /// The caret stays where it is as far as the new text allows.
  static func set(_ text: String, _ widget: UnsafeMutablePointer<GtkWidget>) {
    guard !of(widget).utf8.elementsEqual(text.utf8) else { return }
    let position = gtk_editable_get_position(OpaquePointer(widget))
    gtk_editable_set_text(OpaquePointer(widget), text)
    gtk_editable_set_position(OpaquePointer(widget), min(position, gint(clamping: text.unicodeScalars.count)))
  }
}
