import FCKOnboardingFlow

/// What the widgets of one screen share. With the screen, its style leaves the display.
@MainActor
final class WidgetContext {
  let sheet = StyleSheet()
  let pictures: PictureLoader
  let words: FlowWords
  /// Receives what the person does.
  var onInput: (@MainActor (FlowInput) -> Void)?
  /// Whether widgets are being set to what the flow says. Their signals are then not the person's.
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
