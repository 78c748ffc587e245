public import CTesseraWebKitGTK
import TesseraWebContent

/// A widget that loads the flow of a placement and shows it. If that fails, it offers to try again or to skip.
///
/// The program keeps the object for as long as it shows the widget.
@MainActor
public final class OnboardingView {
  /// What the widget shows.
  public enum State: String, Sendable {
    case loading
    case loaded
    case error
    /// Nothing: the flow ended, or there is none for this user.
    case ended
  }

  /// The widget, for a container of GTK.
  public let widget: UnsafeMutablePointer<GtkWidget>
  public private(set) var state = State.loading
  /// The flow that is shown.
  package private(set) var flowView: OnboardingFlowView?

  private let onboarding: FCKOnboarding
  private let placement: String
  private let userProperties: JSONObject
  private let onComplete: @MainActor (Bool) -> Void
  private let words = FlowWords()
  private var notice: FlowNotice?
  private var loading: Task<Void, Never>?
  private var shown: UnsafeMutablePointer<GtkWidget>?

  /// - Parameters:
  ///   - userProperties: those that the configuration does not name are not sent.
  ///   - onComplete: called once, at the end: whether the user completed a flow. A completed flow is marked as such
  ///     before.
  public convenience init(
    for placement: String = "main", userProperties: JSONObject = [:],
    onComplete: @escaping @MainActor (Bool) -> Void
  ) {
    self.init(for: placement, userProperties: userProperties, of: .shared, onComplete: onComplete)
  }

  package init(
    for placement: String, userProperties: JSONObject, of onboarding: FCKOnboarding,
    onComplete: @escaping @MainActor (Bool) -> Void
  ) {
    self.onboarding = onboarding
    self.placement = placement
    self.userProperties = userProperties
    self.onComplete = onComplete
    widget = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
    g_object_ref_sink(gpointer(widget))
    load()
  }

  isolated deinit {
    loading?.cancel()
    g_object_unref(gpointer(widget))
  }

  /// Gives the keyboard's focus to the first control of what is shown. What follows it gets the focus, too.
  public func focusFirst() {
    if let flowView { return flowView.focusFirst() }
    gtk_widget_child_focus(widget, GTK_DIR_TAB_FORWARD)
  }

  private func load() {
    state = .loading
    let notice = FlowNotice(waiting: words.loading)
    self.notice = notice
    show(notice.widget)
    loading = Task { [weak self, onboarding, placement, userProperties] in
      do {
        let flow = try await onboarding.fetchFlow(for: placement, userProperties: userProperties)
        self?.loaded(flow)
      } catch {
        self?.failed(error)
      }
    }
  }

  private func loaded(_ flow: FlowConfig?) {
    guard state == .loading else { return }
    guard let flow else { return finish(false) }
    state = .loaded
    let view = OnboardingFlowView(flow, of: onboarding) { [weak self] in self?.ended($0) }
    flowView = view
    let focus = FocusHandover(widget)
    show(view.widget)
    view.begin()
    focus.finish { view.focusFirst() }
  }

  private func failed(_ error: any Error) {
    guard state == .loading, !(error is CancellationError) else { return }
    state = .error
    onboarding.logger.warning("The flow was not loaded. \(Failure(error).cause)")
    let retry: @MainActor () -> Void = { [weak self] in self?.load() }
    let skip: @MainActor () -> Void = { [weak self] in self?.finish(false) }
    let notice = FlowNotice(words.loadingFailed, buttons: [(words.tryAgain, retry), (words.skip, skip)])
    self.notice = notice
    let focus = FocusHandover(widget)
    show(notice.widget)
    focus.finish { focusFirst() }
  }

  private func ended(_ report: FlowReport) {
    guard state == .loaded, let view = flowView else { return }
    state = .ended
    Task {
      await view.end()
      await onboarding.ended(report, placement: placement, screenIndex: view.screenIndex)
      finish(report.outcome == .completed)
    }
  }

  private func finish(_ isCompleted: Bool) {
    state = .ended
    show(nil)
    notice = nil
    flowView = nil
    onComplete(isCompleted)
  }

  private func show(_ child: UnsafeMutablePointer<GtkWidget>?) {
    if let shown { gtk_box_remove(object(widget), shown) }
    shown = child
    if let child { gtk_box_append(object(widget), child) }
  }

  /// Presses a button of the notice, for tests.
  package func press(_ index: Int) {
    guard let buttons = notice?.buttons, buttons.indices.contains(index) else { return }
    gtk_widget_activate(buttons[index])
  }
}
