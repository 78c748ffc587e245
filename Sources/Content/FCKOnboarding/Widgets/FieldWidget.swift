import CTesseraWebKitGTK
import FCKOnboardingFlow
import TesseraWebContent

/// A control below its label, and above the sentence that says what is wrong with it.
@MainActor
class FieldWidget: NodeWidget {
  /// What a field says around its control.
  struct Words {
    var label: String?
    var labelColor: RenderColor
    var isRequired: Bool
    var problem: RenderProblem?
  }

  let control: UnsafeMutablePointer<GtkWidget>
  private let label = TextLabel.make()
  private let mark = gtk_label_new(nil)!
  /// The label and the mark behind it.
  private let heading = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4)!
  private let problem = TextLabel.make()

  /// - Parameter row: what is between the label and the problem; it contains the control.
  init(
    _ node: RenderNode, row: UnsafeMutablePointer<GtkWidget>, control: UnsafeMutablePointer<GtkWidget>,
    _ context: WidgetContext
  ) {
    self.control = control
    let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4)!
    gtk_label_set_xalign(OpaquePointer(label), 0)
    gtk_label_set_xalign(OpaquePointer(problem), 0)
    gtk_widget_add_css_class(problem, "fck-problem")
    gtk_widget_set_vexpand(row, 1)
    // The mark is for the eyes. The description says the same to assistive technology.
    Accessible.setRole(GTK_ACCESSIBLE_ROLE_PRESENTATION, mark)
    TextLabel.set(context.words.requiredMark, mark)
    gtk_widget_set_valign(mark, GTK_ALIGN_START)
    gtk_widget_add_css_class(heading, "fck-heading")
    for part in [label, mark] { gtk_box_append(object(heading), part) }
    for part in [heading, row, problem] { gtk_box_append(object(box), part) }
    super.init(node, box, context)
  }

  override var focusTarget: UnsafeMutablePointer<GtkWidget> { control }

  /// What the field says now.
  var words: Words { Words(label: nil, labelColor: .theme, isRequired: false, problem: nil) }

  override var css: String {
    let words = words
    let color = CSSText.color(words.labelColor).map { "&>box.fck-heading>label{color:\($0);}" } ?? ""
    // Readable on light and dark.
    let mark = "padding:2px 8px;border-radius:6px;background-color:#ffe5e8;color:#a1000f;font-size:14px;"
    return super.css + color + "&>label.fck-problem{\(mark)}"
  }

  override func redraw() {
    super.redraw()
    let words = words
    TextLabel.set(words.label ?? "", label)
    gtk_widget_set_visible(label, (words.label != nil).gboolean)
    gtk_widget_set_visible(mark, words.isRequired.gboolean)
    gtk_widget_set_visible(heading, (words.label != nil || words.isRequired).gboolean)
    TextLabel.set(words.problem?.message ?? "", problem)
    gtk_widget_set_visible(problem, (words.problem != nil).gboolean)
    Accessible.setLabel(node.name, control)
    Accessible.setDescription(description, control)
    Accessible.setInvalid(words.problem != nil, control)
    if words.problem == nil {
      gtk_widget_remove_css_class(control, "error")
    } else {
      gtk_widget_add_css_class(control, "error")
    }
  }

  /// What assistive technology says after the name. GTK 4.8 does not pass on whether a field is required or wrong.
  var description: String? {
    let parts = [value, words.isRequired ? context.words.required : nil, words.problem?.message].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ". ")
  }

  /// The value of a control that does not say it itself.
  var value: String? { nil }
}
