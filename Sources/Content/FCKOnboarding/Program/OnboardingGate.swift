public import CTesseraWebKitGTK
import TesseraWebContent

/// A widget in front of a program's content: it shows the flow of a placement first, if the user has one to see.
///
/// The content is hidden while the flow is loaded or shown. It appears when the flow was completed, which is marked
/// before, or skipped, and also if anything goes wrong: onboarding never locks a program. The program keeps the
/// object for as long as it shows the widget.
@MainActor
public final class OnboardingGate {
  /// What the widget shows.
  public enum State: String, Sendable {
    case loading
    case showing
    case content
  }

  /// The widget, for a container of GTK.
  public let widget: UnsafeMutablePointer<GtkWidget>
  public private(set) var state = State.loading
  /// Called when the content appears.
  public var onContent: (@MainActor () -> Void)?
  /// The flow that is shown.
  package private(set) var flowView: OnboardingFlowView?

  private let onboarding: FCKOnboarding
  private let placement: String
  private let content: UnsafeMutablePointer<GtkWidget>
  private let notice = FlowNotice(waiting: FlowWords().loading)
  private var loading: Task<Void, Never>?
  private var shown: UnsafeMutablePointer<GtkWidget>?

  /// - Parameters:
  ///   - userProperties: those that the configuration does not name are not sent.
  ///   - content: a widget without a parent.
  public convenience init(
    for placement: String = "main", userProperties: JSONObject = [:],
    content: UnsafeMutablePointer<GtkWidget>
  ) {
    self.init(for: placement, userProperties: userProperties, of: .shared, content: content)
  }

  package init(
    for placement: String, userProperties: JSONObject, of onboarding: FCKOnboarding,
    content: UnsafeMutablePointer<GtkWidget>
  ) {
    self.onboarding = onboarding
    self.placement = placement
    self.content = content
    widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
    g_object_ref_sink(gpointer(widget))
    g_object_ref_sink(gpointer(content))
    show(notice.widget)
    loading = Task { [weak self, onboarding] in
      do {
        let flow = try await onboarding.fetchFlow(for: placement, userProperties: userProperties)
        self?.loaded(flow)
      } catch {
        onboarding.logger.warning("No flow is shown. \(Failure(error).cause)")
        self?.showContent()
      }
    }
  }

  isolated deinit {
    loading?.cancel()
    g_object_unref(gpointer(widget))
    g_object_unref(gpointer(content))
  }

  private func loaded(_ flow: FlowConfig?) {
    guard let flow, !flow.screens.isEmpty else { return showContent() }
    state = .showing
    let view = OnboardingFlowView(flow, of: onboarding) { [weak self] in self?.ended($0) }
    flowView = view
    let focus = FocusHandover(widget)
    show(view.widget)
    view.begin()
    focus.finish { view.focusFirst() }
  }

  private func ended(_ report: FlowReport) {
    guard let view = flowView else { return }
    Task {
      await view.end()
      await onboarding.ended(report, placement: placement, screenIndex: view.screenIndex)
      showContent()
    }
  }

  private func showContent() {
    state = .content
    let focus = FocusHandover(widget)
    show(content)
    // The content itself, or the first control in it.
    focus.finish { _ = gtk_widget_child_focus(content, GTK_DIR_TAB_FORWARD) }
    flowView = nil
    onContent?()
  }

  private func show(_ child: UnsafeMutablePointer<GtkWidget>) {
    guard child != shown else { return }
    if let shown { gtk_box_remove(object(widget), shown) }
    shown = child
    gtk_widget_set_vexpand(child, 1)
    gtk_box_append(object(widget), child)
  }
}

/// What stands where a flow will be, or could not be: a spinner, or a sentence with buttons.
@MainActor
final class FlowNotice {
  let widget: UnsafeMutablePointer<GtkWidget>
  private let actions = WidgetActions()
  private(set) var buttons: [UnsafeMutablePointer<GtkWidget>] = []

  /// A spinner.
  init(waiting label: String) {
    widget = Self.box()
    let spinner = gtk_spinner_new()!
    gtk_widget_set_size_request(spinner, 32, 32)
    gtk_spinner_set_spinning(OpaquePointer(spinner), 1)
    Accessible.setLabel(label, spinner)
    gtk_box_append(object(widget), spinner)
  }

  /// A sentence, and buttons with their words. The first one is the suggested one.
  init(_ text: String, buttons: [(words: String, onPress: @MainActor () -> Void)]) {
    widget = Self.box()
    let label = TextLabel.make()
    TextLabel.set(text, label)
    gtk_label_set_justify(OpaquePointer(label), GTK_JUSTIFY_CENTER)
    gtk_label_set_max_width_chars(OpaquePointer(label), 40)
    gtk_box_append(object(widget), label)
    for (index, choice) in buttons.enumerated() {
      let button = gtk_button_new_with_label(choice.words)!
      if index == 0 { gtk_widget_add_css_class(button, "suggested-action") }
      gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
      gtk_box_append(object(widget), button)
      actions.on(button, "clicked", choice.onPress)
      self.buttons.append(button)
    }
  }

  isolated deinit {
    actions.end()
    g_object_unref(gpointer(widget))
  }

  private static func box() -> UnsafeMutablePointer<GtkWidget> {
    let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12)!
    g_object_ref_sink(gpointer(box))
    for set in [gtk_widget_set_halign, gtk_widget_set_valign] { set(box, GTK_ALIGN_CENTER) }
    for set in [gtk_widget_set_hexpand, gtk_widget_set_vexpand] { set(box, 1) }
    for set in [
      gtk_widget_set_margin_top, gtk_widget_set_margin_bottom, gtk_widget_set_margin_start, gtk_widget_set_margin_end,
    ] { set(box, 24) }
    return box
  }
}
