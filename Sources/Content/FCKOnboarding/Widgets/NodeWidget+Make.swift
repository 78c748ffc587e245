import FCKOnboardingFlow

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
