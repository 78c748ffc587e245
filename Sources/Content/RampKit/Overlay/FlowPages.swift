import RampKitFlow
import TesseraBridge
import TesseraCore
import TesseraWebContent

/// The views of all pages of a flow. All of them are alive from the start, and one process shows them.
@MainActor
final class FlowPages {
  let views: [ContentView]
  /// Called with the index of a page that was loaded.
  var onLoaded: (@MainActor (Int) -> Void)?
  /// Called with the index of a page that could not be loaded, or whose process ended.
  var onFailure: (@MainActor (Int, ContentFailure) -> Void)?
  var onMessage: (@MainActor (Int, String) -> Void)?
  /// Called with the index of a page and the address of a link in it that leads elsewhere.
  var onLink: (@MainActor (Int, String) -> Void)?

  private let content: BundledContent
  private let receivers: [PageReceivers]
  /// The number of flows that were shown, for the names of their origins.
  private static var count = 0

  /// - Parameters:
  ///   - context: what pages know of the device and its user.
  ///   - locale: the language of the texts, for example `de_AT`.
  ///   - bridge: the channel to the hardware; nil if the flow may use none.
  init(
    _ flow: OnboardingData, context: PageContext?, variables: JSONObject, locale: String, isHardened: Bool,
    bridge: ContentChannel? = nil
  ) {
    Self.count += 1
    var files: [String: BundledContent.File] = [:]
    var policy = ""
    for (index, screen) in flow.screens.enumerated() {
      let document = PageDocument(
        screen, of: flow, index: index, context: context, variables: variables, locale: locale)
      files[Self.path(index)] = BundledContent.File(
        mediaType: "text/html; charset=utf-8", bytes: Array(document.html.utf8))
      policy = document.securityPolicy
    }
    let content = BundledContent(name: "flow-\(Self.count)", files: files, securityPolicy: policy)
    self.content = content
    let channels = bridge.map { [$0] } ?? []
    let session = ContentSession()
    let receivers = flow.screens.indices.map { _ in PageReceivers() }
    self.receivers = receivers
    var views: [ContentView] = []
    for (index, receiver) in receivers.enumerated() {
      // Frames have no channel: a page is responsible for what it shows in them, but not for what they send.
      let channel = ContentChannel(
        ["rampkit"], body: .textOrObject, maximumLength: FlowLimits.messageLength,
        // More than the session reads, which says so.
        rate: ContentChannel.Rate(burst: 2_000, perSecond: 400)
      ) { _ in receiver.receiver() }
      let view = ContentView(
        session: session, rules: FlowRules(address: content.address(Self.path(index))),
        channels: [channel] + channels,
        sharingProcessOf: views.first)
      view.addScript(PageScripts.documentStart)
      if isHardened {
        view.addScript(PageScripts.hardening(PageOptions()))
        view.addScript(PageScripts.afterLoad)
      }
      views.append(view)
      receiver.onMessage = { [weak receiver] in receiver?.pages?.onMessage?(index, $0) }
    }
    self.views = views
    for (index, view) in views.enumerated() {
      receivers[index].pages = self
      view.onLoaded = { [weak self] in self?.onLoaded?(index) }
      view.onFailure = { [weak self] in self?.onFailure?(index, $0) }
      view.onRefusedLink = { [weak self] in self?.onLink?(index, $0) }
      // A page that hangs would stop all others, which share its process.
      view.onResponsive = { [weak view] in if !$0 { view?.endProcess() } }
    }
  }

  func load() { for index in views.indices { load(index) } }

  func load(_ index: Int) { views[index].load(content, path: Self.path(index)) }

  func send(_ message: HostMessage, to index: Int) { send(message.text, to: index) }

  /// - Parameter text: of a `HostMessage`.
  func send(_ text: String, to index: Int) { views[index].document?.call(PageScripts.receiver, text) }

  func close() {
    for view in views { view.close() }
    ContentView.remove(content)
  }

  private static func path(_ index: Int) -> String { "\(index).html" }
}

/// The receivers of the documents that one view shows in turn.
@MainActor
private final class PageReceivers {
  var onMessage: (@MainActor (String) -> Void)?
  weak var pages: FlowPages?

  func receiver() -> any ContentReceiver { Receiver(self) }

  private final class Receiver: ContentReceiver {
    private let page: PageReceivers
    init(_ page: PageReceivers) { self.page = page }
    func receive(_ message: ContentMessage) { page.onMessage?(message.text) }
    func documentEnded() {}
  }
}

/// The rules of one page of a flow: it is the only one that its view shows. It has an origin of its own with the other
/// pages.
struct FlowRules: ContentRules {
  /// The address of the page.
  let address: String

  func mayNavigate(to address: String) -> Bool {
    address.prefix { $0 != "#" && $0 != "?" } == self.address
  }

  func mayUseChannels(_ address: String) -> Bool { mayNavigate(to: address) }
  func mayAskForCameraAndMicrophone(_ address: String) -> Bool { false }
}
