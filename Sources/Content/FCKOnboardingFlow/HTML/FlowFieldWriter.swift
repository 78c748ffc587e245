/// Writes what the user fills in as HTML.
struct FlowFieldWriter {
  let words: FlowWords
  /// The id of the outermost element. Ids of those in it begin with it.
  let pageId: String

  func write(_ node: RenderNode, _ style: FlowStyle, to html: inout FlowHTML) {
    switch node.content {
    case .entry(let entry): write(entry, node, style, to: &html)
    case .toggle(let toggle): write(toggle, node, style, to: &html)
    case .datePicker(let picker): write(picker, node, style, to: &html)
    case .choice(let choice): write(choice, node, style, to: &html)
    case .stack, .text, .picture, .button, .progressBar: break
    }
  }

  // MARK: - Kinds

  private func write(_ entry: RenderEntry, _ node: RenderNode, _ style: FlowStyle, to html: inout FlowHTML) {
    begin("fck-entry", node, style, to: &html)
    html.raw(">")
    label(entry.label, entry.labelColor, isRequired: entry.isRequired, to: &html)
    html.raw("<div class=\"fck-field\">")
    if case .phone(let flag?) = entry.kind {
      html.raw("<span class=\"fck-flag\" aria-hidden=\"true\">")
      html.text(flag)
      html.raw("</span>")
    }
    var fieldStyle = FlowStyle()
    fieldStyle.ink(entry.textColor)
    if let background = entry.fieldBackground { fieldStyle.color("background-color", background) }
    if let border = entry.fieldBorder { fieldStyle.border(border) }
    html.open("input")
    html.attribute("class", "fck-input")
    kind(entry.kind, to: &html)
    html.attribute("maxlength", String(EntryText.maximumLength))
    if !entry.placeholder.isEmpty { html.attribute("placeholder", entry.placeholder) }
    field(node, isLabelled: entry.label != nil, isRequired: entry.isRequired, entry.problem, to: &html)
    if !fieldStyle.text.isEmpty { html.attribute("style", fieldStyle.text) }
    html.attribute("value", entry.text)
    html.raw(">")
    if case .number(let range) = entry.kind, range.showsStepper { steppers(to: &html) }
    html.raw("</div>")
    problem(entry.problem, to: &html)
    html.close("div")
  }

  private func kind(_ kind: RenderEntry.Kind, to html: inout FlowHTML) {
    switch kind {
    case .text: html.attribute("type", "text")
    case .email:
      html.attribute("type", "email")
      html.attribute("autocomplete", "email")
    case .phone:
      html.attribute("type", "tel")
      html.attribute("autocomplete", "tel")
    case .number(let range):
      // A browser keeps to itself what it cannot read in a field of the type `number`, and reads by other rules.
      html.attribute("type", "text")
      html.attribute("inputmode", "decimal")
      html.attribute("role", "spinbutton")
      html.attribute("data-number")
      // The text in the field is its value. Attributes of it would be those of the last redraw.
      if let minimum = range.minimum { html.attribute("aria-valuemin", DecimalText.text(minimum)) }
      if let maximum = range.maximum { html.attribute("aria-valuemax", DecimalText.text(maximum)) }
    }
  }

  /// The keyboard has the arrows for the same.
  private func steppers(to html: inout FlowHTML) {
    for (step, name) in [("-1", words.decrease), ("1", words.increase)] {
      html.raw("<button type=\"button\" class=\"fck-step\" tabindex=\"-1\"")
      html.attribute("data-step", step)
      html.attribute("aria-label", name)
      html.raw("></button>")
    }
  }

  private func write(_ toggle: RenderToggle, _ node: RenderNode, _ style: FlowStyle, to html: inout FlowHTML) {
    begin("fck-toggle", node, style, to: &html)
    html.raw(">")
    var switchStyle = FlowStyle()
    switchStyle.color("--fck-on", toggle.onColor)
    if let color = toggle.offColor { switchStyle.color("--fck-off", color) }
    if let color = toggle.thumbColor { switchStyle.color("--fck-thumb", color) }
    if toggle.labelPosition == .left { label(toggle.label, toggle.labelColor, to: &html) }
    html.raw("<input type=\"checkbox\" role=\"switch\"")
    field(node, isLabelled: !toggle.label.isEmpty, isRequired: false, nil, to: &html)
    html.attribute("style", switchStyle.text)
    if toggle.isOn { html.attribute("checked") }
    html.raw(">")
    if toggle.labelPosition == .right { label(toggle.label, toggle.labelColor, to: &html) }
    html.close("div")
  }

  private func write(_ picker: RenderDatePicker, _ node: RenderNode, _ style: FlowStyle, to html: inout FlowHTML) {
    begin("fck-entry", node, style, to: &html)
    html.raw(">")
    label(picker.label, picker.labelColor, isRequired: picker.isRequired, to: &html)
    html.raw("<div class=\"fck-field\"><input class=\"fck-input\"")
    switch picker.mode {
    case .date: html.attribute("type", "date")
    case .time: html.attribute("type", "time")
    case .datetime: html.attribute("type", "datetime-local")
    }
    // A browser without such fields shows one for text.
    html.attribute("placeholder", words.pattern(picker.mode))
    field(node, isLabelled: picker.label != nil, isRequired: picker.isRequired, picker.problem, to: &html)
    html.attribute("value", picker.value?.text(picker.mode) ?? picker.unreadableText)
    html.raw("></div>")
    problem(picker.problem, to: &html)
    html.close("div")
  }

  private func write(_ choice: RenderChoice, _ node: RenderNode, _ style: FlowStyle, to html: inout FlowHTML) {
    begin("fck-choice", node, style, to: &html)
    html.attribute("role", choice.allowsMultiple ? "group" : "radiogroup")
    if let name = node.name { html.attribute("aria-label", name) }
    if choice.isRequired && !choice.allowsMultiple { html.attribute("aria-required", "true") }
    invalid(choice.problem, to: &html)
    html.raw(">")
    if let label = choice.label {
      // The group has the name already.
      html.raw("<p class=\"fck-label\" aria-hidden=\"true\"")
      look(choice.labelColor, isRequired: choice.isRequired, to: &html)
      html.raw(">")
      html.text(label)
      html.raw("</p>")
    } else if choice.isRequired {
      mark(choice.labelColor, to: &html)
    }
    html.raw("<div class=\"fck-options\"")
    html.attribute("data-axis", choice.axis.rawValue)
    html.raw(">")
    for option in choice.options { write(option, of: choice, to: &html) }
    html.raw("</div>")
    problem(choice.problem, to: &html)
    html.close("div")
  }

  private func write(_ option: RenderOption, of choice: RenderChoice, to html: inout FlowHTML) {
    var style = FlowStyle()
    style.color("background-color", option.background)
    style.ink(option.textColor)
    style.border(option.border)
    html.raw("<label class=\"fck-option\"")
    html.attribute("data-mark", choice.checkMark.rawValue)
    html.attribute("style", style.text)
    html.raw("><input")
    html.attribute("type", choice.allowsMultiple ? "checkbox" : "radio")
    html.attribute("name", pageId)
    html.attribute("data-option", option.id)
    if option.isSelected { html.attribute("checked") }
    html.raw(">")
    if let icon = option.icon {
      html.raw("<span class=\"fck-icon\" aria-hidden=\"true\">")
      html.text(icon)
      html.raw("</span>")
    }
    html.raw("<span class=\"fck-name\">")
    html.text(option.label)
    html.raw("</span></label>")
  }

  // MARK: - Parts

  private func begin(_ name: StaticString, _ node: RenderNode, _ style: FlowStyle, to html: inout FlowHTML) {
    html.open("div")
    html.attribute("class", name.description)
    html.attribute("id", pageId)
    html.attribute("data-id", node.id)
    html.attribute("data-control")
    if node.isTappable { html.attribute("data-tap") }
    if !style.text.isEmpty { html.attribute("style", style.text) }
  }

  private func label(
    _ label: String?, _ color: RenderColor, isRequired: Bool = false, to html: inout FlowHTML
  ) {
    guard let label, !label.isEmpty else {
      if isRequired { mark(color, to: &html) }
      return
    }
    html.raw("<label class=\"fck-label\"")
    html.attribute("for", "\(pageId)-field")
    look(color, isRequired: isRequired, to: &html)
    html.raw(">")
    html.text(label)
    html.raw("</label>")
  }

  /// The mark of a required field that has no label.
  private func mark(_ color: RenderColor, to html: inout FlowHTML) {
    html.raw("<span class=\"fck-label\" aria-hidden=\"true\"")
    look(color, isRequired: true, to: &html)
    html.raw("></span>")
  }

  /// The colour of a label, and the mark that the style sheet draws behind it. `aria-required` says the same to
  /// assistive technology.
  private func look(_ color: RenderColor, isRequired: Bool, to html: inout FlowHTML) {
    if isRequired { html.attribute("data-required", words.requiredMark) }
    var style = FlowStyle()
    style.color("color", color)
    if !style.text.isEmpty { html.attribute("style", style.text) }
  }

  private func field(
    _ node: RenderNode, isLabelled: Bool, isRequired: Bool, _ problem: RenderProblem?, to html: inout FlowHTML
  ) {
    html.attribute("id", "\(pageId)-field")
    if !isLabelled, let name = node.name { html.attribute("aria-label", name) }
    if isRequired { html.attribute("aria-required", "true") }
    invalid(problem, to: &html)
  }

  private func invalid(_ problem: RenderProblem?, to html: inout FlowHTML) {
    guard problem != nil else { return }
    html.attribute("aria-invalid", "true")
    html.attribute("aria-describedby", "\(pageId)-problem")
  }

  private func problem(_ problem: RenderProblem?, to html: inout FlowHTML) {
    guard let problem else { return }
    html.raw("<p class=\"fck-problem\" role=\"alert\"")
    html.attribute("id", "\(pageId)-problem")
    html.raw(">")
    html.text(problem.message)
    html.raw("</p>")
  }
}
