public import CTesseraWebKitGTK
import TesseraWebContent

/// A widget in front of a program's content: it shows the flow of a placement first, if the person has one to see.
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
