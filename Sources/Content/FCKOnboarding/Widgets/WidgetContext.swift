import FCKOnboardingFlow

/// What the widgets of one screen share. With the screen, its style leaves the display.
@MainActor
final class WidgetContext {
  let sheet = StyleSheet()
  let pictures: PictureLoader
  let words: FlowWords
  /// Receives what the user does.
  var onInput: (@MainActor (FlowInput) -> Void)?
  /// Whether widgets are being set to what the flow says. Their signals are then not the user's.
  private var isDrawing = false

  init(pictures: PictureLoader, words: FlowWords) {
    self.pictures = pictures
    self.words = words
  }

  func send(_ input: FlowInput) {
    if !isDrawing { onInput?(input) }
  }

  func draw<Result>(_ body: () -> Result) -> Result {
    let wasDrawing = isDrawing
    isDrawing = true
    defer { isDrawing = wasDrawing }
    let result = body()
    if !wasDrawing { sheet.commit() }
    return result
  }
}

extension WidgetContext {
  /// The widget of a node, set to it.
  func make(_ node: RenderNode) -> NodeWidget {
    let widget: NodeWidget =
      switch node.content {
      case .stack: StackWidget(node, self)
      case .text: TextWidget(node, self)
      case .picture: PictureWidget(node, self)
      case .button: ButtonWidget(node, self)
      case .entry(let entry):
        if case .number(let range) = entry.kind { NumberWidget(node, range, self) } else { EntryWidget(node, self) }
      case .toggle: ToggleWidget(node, self)
      case .datePicker(let picker): DateWidget(node, picker.mode, self)
      case .choice(let choice): ChoiceWidget(node, choice, self)
      case .progressBar: ProgressWidget(node, self)
      }
    widget.redraw()
    return widget
  }
}
