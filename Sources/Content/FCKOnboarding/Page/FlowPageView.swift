import CTesseraWebKitGTK
import FCKOnboardingFlow
import TesseraCore
import TesseraWebContent

/// A showing as an HTML page in a web view. The page has one handler, `fck`, and the network for pictures only.
@MainActor
final class FlowPageView: FlowSurface {
  var onEffects: (@MainActor ([FlowEffect]) -> Void)?
  /// Called when the page cannot be shown any more.
  var onFailure: (@MainActor (ContentFailure) -> Void)?

  let view: ContentView
  private var page: FlowPage
  private let content: BundledContent
  /// A page whose process ends is loaded once more.
  private var canReload = true
  private var isClosed = false
  private let messages = PageMessages()
  /// The number of pages that were shown, for the names of their origins.
  private static var count = 0

  private static let path = "index.html"

  init(_ flow: FlowConfig, words: FlowWords) {
    page = FlowPage(flow, words: words)
    Self.count += 1
    content = BundledContent(name: "fck-\(Self.count)", files: [:], securityPolicy: "")
    let channel = ContentChannel(
      [FlowPage.handler], maximumLength: FlowPage.longestMessage,
      rate: ContentChannel.Rate(burst: 500, perSecond: 200)
    ) { [messages] _ in messages }
    view = ContentView(
      session: ContentSession(), rules: PageRules(address: content.address(Self.path)), channels: [channel])
    messages.onMessage = { [weak self] in self?.receivedMessage($0) }
    view.onFailure = { [weak self] in self?.failed($0) }
    view.onResponsive = { [weak view] in if !$0 { view?.endProcess() } }
  }

  var widget: UnsafeMutablePointer<GtkWidget> { view.widget }
  var session: OnboardingSession { page.session }

  func begin() {
    let output = page.begin()
    if !page.session.isFinished { load() }
    perform(output)
  }

  private func load() {
    let file = BundledContent.File(mediaType: "text/html; charset=utf-8", bytes: Array(page.html.utf8))
    // The document has a stricter policy of its own, with a secret that only it knows.
    let policy =
      "default-src 'none'; img-src https:; script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; "
      + "form-action 'none'; frame-ancestors 'none'"
    view.load(
      BundledContent(name: content.name, files: [Self.path: file], securityPolicy: policy), path: Self.path)
  }

  @discardableResult
  func received(_ input: FlowInput) -> Bool { perform(page.received(input)) }

  private func receivedMessage(_ text: String) { perform(page.received(text)) }

  @discardableResult
  private func perform(_ output: FlowPage.Output) -> Bool {
    if let update = output.update { view.document?.call(FlowPage.receiver, update) }
    if !output.effects.isEmpty { onEffects?(output.effects) }
    return output.update != nil || !output.effects.isEmpty
  }

  private func failed(_ failure: ContentFailure) {
    guard !isClosed else { return }
    if case .processEnded = failure, canReload {
      canReload = false
      page.reload()
      return load()
    }
    onFailure?(failure)
  }

  /// The page gives it to its content, as a browser does.
  func focusFirst() { gtk_widget_grab_focus(view.widget) }

  func close() {
    guard !isClosed else { return }
    isClosed = true
    view.close()
    ContentView.remove(content)
  }
}

/// The messages of the page's documents.
@MainActor
private final class PageMessages: ContentReceiver {
  var onMessage: (@MainActor (String) -> Void)?

  func receive(_ message: ContentMessage) { onMessage?(message.text) }
  func documentEnded() {}
}

/// The view shows this one page.
private struct PageRules: ContentRules {
  let address: String

  func mayNavigate(to address: String) -> Bool { address.prefix { $0 != "#" && $0 != "?" } == self.address }
  func mayUseChannels(_ address: String) -> Bool { mayNavigate(to: address) }
  func mayAskForCameraAndMicrophone(_ address: String) -> Bool { false }
}
