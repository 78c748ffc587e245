import CTesseraWebKitGTK
import FCKOnboardingFlow
import TesseraWebContent

/// The GTK back end: the screens of a flow in a `GtkStack`, which slides from one to the next.
@MainActor
final class NativeScreens: WidgetLayout {
  let widget: UnsafeMutablePointer<GtkWidget>
  /// Receives what the user does.
  var onInput: (@MainActor (FlowInput) -> Void)?

  private let stack: UnsafeMutablePointer<GtkWidget>
  private let pictures: PictureLoader
  private let words: FlowWords
  private let actions = WidgetActions()
  private var connection: LayoutConnection?
  private(set) var screen: ScreenWidget?
  /// Screens that slide away.
  private var leaving: [ScreenWidget] = []
  private var size = FlowSize(width: 0, height: 0)

  init(pictures: PictureLoader, words: FlowWords) {
    self.pictures = pictures
    self.words = words
    stack = gtk_stack_new()
    widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
    g_object_ref_sink(gpointer(widget))
    // The background of documents, as in the page.
    gtk_widget_add_css_class(widget, "view")
    gtk_box_append(object(widget), stack)
    gtk_stack_set_transition_duration(OpaquePointer(stack), 250)
    gtk_stack_set_hhomogeneous(OpaquePointer(stack), 0)
    gtk_stack_set_vhomogeneous(OpaquePointer(stack), 0)
    gtk_widget_set_hexpand(widget, 1)
    gtk_widget_set_vexpand(widget, 1)
    connection = LayoutConnection(widget, self)
    actions.onChange(of: "transition-running", stack) { [weak self] in self?.transitionChanged() }
  }

  isolated deinit {
    close()
    actions.end()
    g_object_unref(gpointer(widget))
  }

  // MARK: - What the flow says

  func show(_ node: RenderNode, _ direction: FlowDirection?) {
    let context = WidgetContext(pictures: pictures, words: words)
    context.onInput = { [weak self] in self?.onInput?($0) }
    let next = ScreenWidget(node, context)
    next.setWindow(size)
    gtk_stack_add_child(OpaquePointer(stack), next.widget)
    if let screen {
      screen.end()
      leaving.append(screen)
    }
    screen = next
    let transition =
      switch direction {
      case .forward: GTK_STACK_TRANSITION_TYPE_SLIDE_LEFT
      case .backward: GTK_STACK_TRANSITION_TYPE_SLIDE_RIGHT
      case nil: GTK_STACK_TRANSITION_TYPE_NONE
      }
    // A stack that was never drawn has nothing to move.
    let isDrawn = gtk_widget_get_width(stack) > 0
    gtk_stack_set_transition_type(OpaquePointer(stack), isDrawn ? transition : GTK_STACK_TRANSITION_TYPE_NONE)
    gtk_stack_set_visible_child(OpaquePointer(stack), next.widget)
    transitionChanged()
    // A program decides whether the first screen takes the focus.
    if direction != nil { next.focusFirst() }
  }

  func redraw(_ id: String, _ node: RenderNode) { screen?.update(id, node) }

  func focus(_ id: String) {
    guard let target = screen?.root.find(id) else { return }
    gtk_widget_grab_focus(target.focusTarget)
  }

  func press(_ id: String, _ effect: PressEffect) { screen?.root.find(id)?.press(effect) }

  func focusFirst() { screen?.focusFirst() }

  /// Ends the connections to the user. The last screen is drawn as long as the object is there.
  func close() {
    screen?.end()
    onInput = nil
  }

  /// Removes the screens that nobody sees any more.
  private func transitionChanged() {
    guard gtk_stack_get_transition_running(OpaquePointer(stack)) == 0 else { return }
    let gone = leaving
    leaving = []
    for screen in gone { gtk_stack_remove(OpaquePointer(stack), screen.widget) }
  }

  // MARK: - Layout

  func width() -> Request {
    let request = stack.request(GTK_ORIENTATION_HORIZONTAL)
    return Request(minimum: request.minimum, natural: max(request.minimum, 360))
  }

  func height(forWidth width: Int) -> Request {
    let request = stack.request(GTK_ORIENTATION_VERTICAL, for: width)
    return Request(minimum: request.minimum, natural: max(request.minimum, 480))
  }

  func allocate(width: Int, height: Int) {
    let size = FlowSize(width: Double(width), height: Double(height))
    if size != self.size {
      self.size = size
      screen?.setWindow(size)
    }
    stack.place(x: 0, y: 0, width: width, height: height)
  }
}
