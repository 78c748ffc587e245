import CTesseraWebKitGTK
import FCKOnboardingFlow
import TesseraWebContent

/// Options: a `GtkCheckButton` for each, in one group if the user chooses one.
@MainActor
final class ChoiceWidget: FieldWidget {
  private let rows: [OptionRow]
  private let wrap: (layout: WrapLayout, connection: LayoutConnection)?

  init(_ node: RenderNode, _ choice: RenderChoice, _ context: WidgetContext) {
    let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8)!
    Accessible.setRole(GTK_ACCESSIBLE_ROLE_GROUP, box)
    let rows = choice.options.map { OptionRow($0, checkMark: choice.checkMark) }
    self.rows = rows
    for row in rows {
      if !choice.allowsMultiple, let first = rows.first, first !== row {
        gtk_check_button_set_group(object(row.button), object(first.button))
      }
      gtk_box_append(object(box), row.button)
    }
    if choice.axis == .horizontal {
      let layout = WrapLayout()
      layout.children = rows.map(\.button)
      wrap = (layout, LayoutConnection(box, layout))
    } else {
      wrap = nil
    }
    super.init(node, row: box, control: box, context)
    if !choice.allowsMultiple { for row in rows { row.becomeRadio() } }
    for row in rows {
      actions.on(row.button, "toggled") { [weak self, weak row] in
        if let self, let row { self.toggled(row) }
      }
    }
  }

  /// A choice of one gets the focus at the chosen option.
  override var focusTarget: UnsafeMutablePointer<GtkWidget> {
    (rows.first { $0.isActive } ?? rows.first)?.button ?? control
  }

  private var content: RenderChoice? { if case .choice(let choice) = node.content { choice } else { nil } }

  override var words: Words {
    guard let content else { return super.words }
    return Words(
      label: content.label, labelColor: content.labelColor, isRequired: content.isRequired, problem: content.problem)
  }

  override func redraw() {
    super.redraw()
    guard let content else { return }
    // First those that are selected: in a group, one is off when another one is on.
    let states = zip(rows, content.options).sorted { $0.1.isSelected && !$1.1.isSelected }
    for (row, option) in states {
      row.set(option, content.checkMark, context.sheet)
      Accessible.setInvalid(content.problem != nil, row.button)
    }
  }

  private func toggled(_ row: OptionRow) {
    guard let content else { return }
    // In a group, the option that is left reports, too.
    guard content.allowsMultiple || row.isActive else { return }
    context.send(.option(node.id, option: row.id, isSelected: row.isActive))
  }
}

/// The button of one option.
@MainActor
final class OptionRow {
  let id: String
  let button = gtk_check_button_new()!
  private let icon = gtk_label_new(nil)!
  private let label = TextLabel.make()
  private var style = WidgetStyle()

  init(_ option: RenderOption, checkMark: FlowChoice.CheckboxPosition) {
    id = option.id
    let box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8)!
    gtk_label_set_xalign(OpaquePointer(label), 0)
    gtk_widget_set_hexpand(label, 1)
    // A symbol is not read: the label says what it means.
    Accessible.setRole(GTK_ACCESSIBLE_ROLE_PRESENTATION, icon)
    gtk_box_append(object(box), icon)
    gtk_box_append(object(box), label)
    gtk_check_button_set_child(object(button), box)
    if checkMark == .right {
      // The check mark is at the start of the button; its content keeps the direction of the language.
      let direction = gtk_widget_get_default_direction()
      gtk_widget_set_direction(button, direction == GTK_TEXT_DIR_RTL ? GTK_TEXT_DIR_LTR : GTK_TEXT_DIR_RTL)
      for part in [box, icon, label] { gtk_widget_set_direction(part, direction) }
    }
  }

  var isActive: Bool { gtk_check_button_get_active(object(button)) != 0 }

  /// GTK 4.8 calls every check button a check box.
  func becomeRadio() { Accessible.setRole(GTK_ACCESSIBLE_ROLE_RADIO, button) }

  func set(_ option: RenderOption, _ checkMark: FlowChoice.CheckboxPosition, _ sheet: StyleSheet) {
    style.set(css(option, checkMark), on: button, sheet)
    TextLabel.set(option.label, label)
    TextLabel.set(option.icon ?? "", icon)
    gtk_widget_set_visible(icon, (option.icon != nil).gboolean)
    Accessible.setLabel(option.label, button)
    if isActive != option.isSelected { gtk_check_button_set_active(object(button), option.isSelected.gboolean) }
  }

  private func css(_ option: RenderOption, _ checkMark: FlowChoice.CheckboxPosition) -> String {
    var text =
      "padding:10px 14px;background-color:\(CSSText.color(option.background));" + CSSText.border(option.border)
    if let color = CSSText.color(option.textColor) { text += "color:\(color);" }
    var rules = "&{\(text)}" + FocusStyle.css("&")
    if let color = CSSText.color(option.textColor), !option.isSelected {
      // The mark lies on the author's colour, not on that of the theme.
      let mark = "background-color:transparent;background-image:none;box-shadow:none;border-color:\(color);"
      rules += "&>check,&>radio{\(mark)}"
    }
    if checkMark == .hidden {
      rules +=
        "&>check,&>radio{min-width:0;min-height:0;margin:0;padding:0;border:0;opacity:0;-gtk-icon-size:0;"
        + "-gtk-icon-source:none;}"
    }
    return rules
  }
}
