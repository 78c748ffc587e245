import TesseraJSON

/// Makes the nodes of a screen.
struct RenderNodes {
  let state: ScreenState
  let words: FlowWords

  /// The longest name of a container that is read to the user, in Unicode scalars.
  private static let longestName = 500

  /// - Parameter background: the author's background that the element lies on; nil is the window's own.
  func node(_ element: FlowElement, on background: FlowColor?) -> RenderNode? {
    var node: RenderNode
    switch element.content {
    case .stack(let stack): node = self.stack(stack, element, on: background)
    case .text(let text): node = self.text(text, element, on: background)
    case .image(let image): node = picture(image, element)
    case .button(let button): node = self.button(button, element, on: background)
    case .entry(let entry): node = self.entry(entry, element, on: background)
    case .toggle(let toggle): node = self.toggle(toggle, element, on: background)
    case .datePicker(let picker): node = datePicker(picker, element, on: background)
    case .choice(let choice): node = self.choice(choice, element, on: background)
    case .progressBar(let bar): node = progressBar(bar, element)
    case .unknown: return nil
    }
    if element.isTappable { node.press = TapPlan(element).press }
    return node
  }

  /// What an element draws behind its children; nil if it draws nothing.
  static func background(_ element: FlowElement) -> FlowColor? {
    switch element.content {
    // Glass is white at 30 %, the fallback of the mobile SDK; a desktop has no equivalent.
    case .stack(let stack):
      stack.backgroundColor ?? stack.glass.map { _ in FlowColor(alpha: 77, red: 0xFF, green: 0xFF, blue: 0xFF) }
    case .button(let button): button.style == .filled ? button.backgroundColor : nil
    case .text, .image, .entry, .toggle, .datePicker, .choice, .progressBar, .unknown: nil
    }
  }

  // MARK: - Containers

  private func stack(_ stack: FlowStack, _ element: FlowElement, on background: FlowColor?) -> RenderNode {
    var box = box(element, stack.border)
    box.background = Self.background(element)
    let content = RenderStack(
      axis: stack.axis, spacing: FlowLayout.limited(stack.spacing), distribution: stack.distribution,
      alignment: stack.alignItems)
    var node = RenderNode(id: element.id, content: .stack(content), box: box, role: .none)
    let inner = RenderInk.background(box.background, on: background)
    node.children = stack.children.compactMap { self.node($0, on: inner) }
    if element.isTappable {
      // A button must not contain controls: assistive technology would not reach them.
      node.role = node.children.contains(where: \.containsControl) ? .group : .button
      node.name = Self.name(of: node.children)
    }
    return node
  }

  private func button(_ button: FlowButton, _ element: FlowElement, on background: FlowColor?) -> RenderNode {
    var box = box(element, FlowBorder(radius: button.borderRadius))
    box.padding = Spacing(element.padding.map { FlowLayout.limited($0.top) } ?? 12)
    box.background = Self.background(element)
    let textColor: RenderColor
    switch button.style {
    case .filled:
      textColor = .fixed(button.textColor)
    case .outline:
      // White, the default, is the colour for a filled button. Nobody would see it on the window's own background.
      let ink =
        button.textColor == RenderInk.white && button.backgroundColor.alpha > 0
        ? button.backgroundColor : button.textColor
      box.border = RenderBorder(
        radius: box.border.radius, width: 2,
        color: button.backgroundColor.alpha > 0 ? button.backgroundColor : button.textColor)
      textColor = .fixed(ink)
    }
    var node = RenderNode(
      id: element.id, content: .button(RenderButton(text: nil, textColor: textColor)), box: box, role: .button)
    let inner = RenderInk.background(box.background, on: background)
    node.children = button.children.compactMap { self.node($0, on: inner) }
    if node.children.isEmpty {
      node.content = .button(RenderButton(text: button.text, textColor: textColor))
      node.name = Self.named(button.text)
    } else {
      if node.children.contains(where: \.containsControl) { node.role = .group }
      // What is seen is what is heard. The text names a button of a picture.
      node.name = Self.name(of: node.children) ?? Self.named(button.text)
    }
    return node
  }

  // MARK: - Texts and pictures

  private func text(_ text: FlowText, _ element: FlowElement, on background: FlowColor?) -> RenderNode {
    let content = RenderText(
      content: text.content, size: Self.size(text), weight: text.weight,
      color: RenderInk.text(text.color, on: background), alignment: text.alignment)
    var node = RenderNode(id: element.id, content: .text(content), box: box(element), role: .text)
    if element.isTappable {
      node.role = .button
      node.name = Self.named(text.content)
    }
    return node
  }

  /// In pixels. A large size is for a short text.
  private static func size(_ text: FlowText) -> Double {
    let limit = FlowConfigLimits.textExtent / Double(max(1, text.content.unicodeScalars.count))
    return text.fontSize > 0 ? min(text.fontSize, FlowConfigLimits.fontSize.upperBound, limit) : 16
  }

  private func picture(_ image: FlowImage, _ element: FlowElement) -> RenderNode {
    var box = box(element, FlowBorder(radius: image.borderRadius))
    if box.width == .auto { box.width = .pixels(100) }
    if box.height == .auto { box.height = .pixels(100) }
    let content = RenderPicture(address: PictureAddress.accepted(image.url), fit: image.fit)
    return RenderNode(
      id: element.id, content: .picture(content), box: box, role: element.isTappable ? .button : .image,
      name: image.alt.flatMap(Self.named))
  }

  private func progressBar(_ bar: FlowProgressBar, _ element: FlowElement) -> RenderNode {
    var box = wide(box(element))
    if box.height == .auto { box.height = .pixels(RenderProgressBar.height) }
    let fraction = bar.progress > 0 ? min(bar.progress / 100, 1) : 0
    let content = RenderProgressBar(fraction: fraction, barColor: bar.barColor, trackColor: bar.trackColor)
    return RenderNode(
      id: element.id, content: .progressBar(content), box: box, role: .progressBar, name: words.progress)
  }

  // MARK: - Fields

  private func entry(_ entry: FlowEntry, _ element: FlowElement, on background: FlowColor?) -> RenderNode {
    let typed = if case .text(let text)? = state.value(of: element) { text } else { "" }
    let own = RenderInk.background(entry.backgroundColor, on: nil)
    let kind: RenderEntry.Kind
    let kindName: String
    switch entry.kind {
    case .text: (kind, kindName) = (.text, words.textField)
    case .email: (kind, kindName) = (.email, words.emailField)
    case .phone(let countryCode): (kind, kindName) = (.phone(flag: CountryFlag.text(countryCode)), words.phoneField)
    case .number(let range): (kind, kindName) = (.number(range), words.numberField)
    }
    let border = Self.border(entry.border)
    let content = RenderEntry(
      kind: kind, label: entry.label.flatMap(Self.named), labelColor: RenderInk.label(on: background),
      placeholder: entry.placeholder, text: typed, isRequired: entry.isRequired,
      textColor: RenderInk.label(on: own), fieldBackground: entry.backgroundColor,
      fieldBorder: entry.border == FlowBorder() ? nil : border,
      problem: problem(element, entry))
    let isNumber = if case .number = entry.kind { true } else { false }
    return RenderNode(
      id: element.id, content: .entry(content), box: wide(box(element)), role: isNumber ? .spinButton : .textField,
      name: content.label ?? Self.named(entry.placeholder) ?? kindName)
  }

  private func problem(_ element: FlowElement, _ entry: FlowEntry) -> RenderProblem? {
    guard case .number(let range) = entry.kind else {
      return problem(element, missing: words.missingEntry, malformed: words.malformedEmail)
    }
    return problem(
      element, missing: words.missingEntry, malformed: words.unreadableNumber, outOfRange: words.outOfRange(range))
  }

  private func toggle(_ toggle: FlowToggle, _ element: FlowElement, on background: FlowColor?) -> RenderNode {
    let isOn = if case .isOn(let isOn)? = state.value(of: element) { isOn } else { toggle.initialValue }
    let content = RenderToggle(
      label: toggle.label, labelColor: RenderInk.label(on: background), labelPosition: toggle.labelPosition, isOn: isOn,
      onColor: toggle.onColor, offColor: toggle.offColor, thumbColor: toggle.thumbColor)
    return RenderNode(
      id: element.id, content: .toggle(content), box: wide(box(element)), role: .toggle, name: Self.named(toggle.label))
  }

  private func datePicker(_ picker: FlowDatePicker, _ element: FlowElement, on background: FlowColor?) -> RenderNode {
    let value = if case .date(let date)? = state.value(of: element) { date } else { FlowDateTime?.none }
    let isTime = picker.mode == .time
    let malformed =
      switch picker.mode {
      case .date: words.malformedDate
      case .time: words.malformedTime
      case .datetime: words.malformedDateTime
      }
    var content = RenderDatePicker(
      label: picker.label.flatMap(Self.named), labelColor: RenderInk.label(on: background), mode: picker.mode,
      value: value, isRequired: picker.isRequired,
      problem: problem(element, missing: isTime ? words.missingTime : words.missingDate, malformed: malformed))
    if case .unreadableDate(let text)? = state.value(of: element) { content.unreadableText = text }
    return RenderNode(
      id: element.id, content: .datePicker(content), box: wide(box(element)), role: .dateField,
      name: content.label ?? (isTime ? words.timeField : words.dateField))
  }

  private func choice(_ choice: FlowChoice, _ element: FlowElement, on background: FlowColor?) -> RenderNode {
    let selected = if case .options(let ids)? = state.value(of: element) { choice.sorted(ids) } else { [String]() }
    let content = RenderChoice(
      label: choice.label.flatMap(Self.named), labelColor: RenderInk.label(on: background),
      allowsMultiple: choice.allowsMultiple, style: choice.style, axis: ChoiceRows.axis(choice.layout),
      checkMark: choice.style == .options ? .hidden : choice.checkboxPosition, isRequired: choice.isRequired,
      options: ChoiceRows.options(choice, selected: selected, on: background),
      problem: problem(element, missing: words.missingChoice))
    return RenderNode(
      id: element.id, content: .choice(content), box: wide(box(element)),
      role: choice.allowsMultiple ? .checkGroup : .radioGroup, name: content.label ?? words.choice)
  }

  private func problem(
    _ element: FlowElement, missing: String, malformed: String? = nil, outOfRange: String? = nil
  ) -> RenderProblem? {
    let message: String
    switch state.problem(of: element) {
    case .missing: message = missing
    case .malformed: message = malformed ?? missing
    case .outOfRange: message = outOfRange ?? missing
    case nil: return nil
    }
    return RenderProblem(message: message)
  }

  // MARK: - Boxes

  private func box(_ element: FlowElement, _ border: FlowBorder = FlowBorder()) -> RenderBox {
    RenderBox(
      margin: Self.limited(element.margin), padding: Self.limited(element.padding), width: element.width ?? .auto,
      height: element.height ?? .auto, border: Self.border(border))
  }

  /// Fields and choices are as wide as their parent unless the document says something else.
  private func wide(_ box: RenderBox) -> RenderBox {
    var box = box
    if box.width == .auto { box.width = .fill }
    return box
  }

  private static func limited(_ spacing: Spacing?) -> Spacing {
    guard let spacing else { return .zero }
    return Spacing(
      top: FlowLayout.limited(spacing.top), right: FlowLayout.limited(spacing.right),
      bottom: FlowLayout.limited(spacing.bottom), left: FlowLayout.limited(spacing.left))
  }

  /// A border that has a colour and no width is one pixel wide. One without a colour is not drawn.
  private static func border(_ border: FlowBorder) -> RenderBorder {
    RenderBorder(
      radius: FlowLayout.limited(border.radius ?? 0),
      width: border.color == nil ? 0 : FlowLayout.limited(border.width ?? 1), color: border.color ?? .transparent)
  }

  // MARK: - Names

  private static func named(_ text: String) -> String? { EntryText.isBlank(text) ? nil : text }

  private static func name(of nodes: [RenderNode]) -> String? {
    // Of scalars: a single `Character` can have as many of them as a text.
    var name = String.UnicodeScalarView()
    for text in nodes.lazy.flatMap(\.spokenTexts) where !EntryText.isBlank(text) {
      if !name.isEmpty { name.append(" ") }
      name.append(contentsOf: text.unicodeScalars.prefix(longestName - name.count))
      guard name.count < longestName else { break }
    }
    return named(String(name))
  }
}

extension RenderNode {
  /// Whether the user can do something with the node or one in it.
  var containsControl: Bool {
    switch content {
    case .entry, .toggle, .datePicker, .choice, .button: true
    case .stack, .text, .picture, .progressBar: isTappable || children.contains(where: \.containsControl)
    }
  }

  /// The texts of this node and those in it, and the descriptions of pictures.
  fileprivate var spokenTexts: [String] {
    switch content {
    case .text(let text): [text.content]
    case .picture: [name].compactMap(\.self)
    case .stack, .button: children.flatMap(\.spokenTexts)
    case .entry, .toggle, .datePicker, .choice, .progressBar: []
    }
  }
}
