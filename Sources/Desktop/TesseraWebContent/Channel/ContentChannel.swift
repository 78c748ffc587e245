import CTesseraWebKitGTK
import TesseraCore

/// One way between pages and the program: the name under which pages find it, the frames that may use it, and what
/// receives its messages.
///
/// A page sends with `window.webkit.messageHandlers.NAME.postMessage(text)`. The program calls functions of the page
/// (`ContentDocument.call(_:_:)`). A channel knows nothing of what the messages mean.
public struct ContentChannel: Sendable {
  /// The scripts that see a channel.
  public enum World: Sendable, Hashable {
    /// The scripts of the page.
    case page
    /// The scripts that the program adds to this world (`ContentView.addScript`). The page does not see them.
    case named(String)
  }

  /// The frames of a page that have a channel.
  public enum Frames: Sendable {
    /// The top frame only.
    case top
    /// Every frame. A message says whether it comes from the top frame, and from which origin.
    case all
  }

  /// What `postMessage` accepts. Anything else is dropped.
  public enum Body: Sendable {
    /// Texts.
    case text
    /// Texts, and objects that the channel writes as JSON.
    case textOrObject
  }

  /// A number of messages at once, and then in each second.
  public struct Rate: Sendable {
    public var burst: Int
    public var perSecond: Int

    public init(burst: Int, perSecond: Int) {
      self.burst = burst
      self.perSecond = perSecond
    }
  }

  /// The names of the handler. Older clients may know another name than newer ones.
  public var names: [String]
  public var world: World
  public var frames: Frames
  public var body: Body
  /// The length of the longest message, in UTF-16 code units. A longer one is dropped.
  public var maximumLength: Int
  /// How many messages of one page arrive; nil for no limit. Those beyond it are dropped before they leave the page's
  /// process.
  public var rate: Rate?
  /// The origin whose pages see the handler, as WebKit serialises it; nil for every page. `ContentRules` decide who may use
  /// it in any case; a page of another origin then does not even find it.
  package var origin: String?
  /// Makes the receiver for a document. It is called for documents that `ContentRules` allow, when they begin.
  public var receiver: @MainActor @Sendable (ContentDocument) -> any ContentReceiver

  public init(
    _ names: [String], world: World = .page, frames: Frames = .top, body: Body = .text,
    maximumLength: Int = 1 << 20, rate: Rate? = nil,
    receiver: @escaping @MainActor @Sendable (ContentDocument) -> any ContentReceiver
  ) {
    self.names = names
    self.world = world
    self.frames = frames
    self.body = body
    self.maximumLength = maximumLength
    self.rate = rate
    self.receiver = receiver
  }
}

/// The program's end of a channel in one document.
@MainActor
public protocol ContentReceiver: AnyObject {
  func receive(_ message: ContentMessage)
  /// The document is gone: the page went elsewhere, its process ended, or the view was closed. Comes once, and no
  /// message follows.
  func documentEnded()
}

/// A message of a page.
public struct ContentMessage: Sendable {
  /// The text, or the JSON of an object.
  public let text: String
  /// Whether the top frame sent it.
  public let isFromTopFrame: Bool
  /// The origin of the frame as WebKit serialises it: `https://host`, or `null` for an opaque origin.
  public let origin: String
}

/// A document that a view shows and that may use the view's channels. It ends when the page goes to another document,
/// when its process ends, and when the view is closed.
@MainActor
public final class ContentDocument {
  /// The origin as WebKit serialises it: `https://host:port`, or `scheme://name` of bundled content.
  public let origin: String
  /// The address at which the document began.
  public let address: String
  /// Whether the document is still the one that the view shows.
  public var isCurrent: Bool { view?.document === self }

  let token = RandomName.next()
  /// The calls for which the page has not asked yet, and its question if there are none.
  private var calls = CallQueue()
  private var request: CallRequest?
  /// The world of the last call.
  private var lastWorld = ContentChannel.World.page
  /// Who waits until the page has been sent its calls.
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private weak var view: ContentView?
  private(set) var receivers: [any ContentReceiver] = []

  init(address: String, origin: String, in view: ContentView) {
    self.address = address
    self.origin = origin
    self.view = view
  }

  /// Makes the receivers. Apart from `init`, since a receiver may call the document at once.
  func open(_ channels: [ContentChannel]) { receivers = channels.map { $0.receiver(self) } }

  func end() {
    let ending = receivers
    receivers = []
    request = nil
    callsAreSent()
    for receiver in ending { receiver.documentEnded() }
  }

  /// Calls a function of the page, in its top frame. Nothing happens if the document has ended, or if the page has no
  /// such function.
  ///
  /// A page that hangs takes no calls. Beyond 8,192 calls, or 64 MiB of text, the oldest are dropped; the page's console says
  /// how many when the page goes on.
  ///
  /// - Parameters:
  ///   - path: the names that lead from `window` to the function, for example `["SelfNativeBridge", "_handleEvent"]`.
  ///     Each is an identifier of JavaScript.
  ///   - text: the only argument.
  ///   - world: the scripts whose function is called.
  public func call(_ path: [String], _ text: String, in world: ContentChannel.World = .page) {
    add(path, text, in: world, substitute: nil)
  }

  /// The same, for a call that somebody in the page waits for.
  ///
  /// - Parameter substitute: makes a short argument, which the page gets instead of the text when there are too many calls.
  package func call(
    _ path: [String], _ text: String, in world: ContentChannel.World = .page,
    ifTooMany substitute: @escaping () -> String
  ) {
    add(path, text, in: world) { [weak self] in self?.view?.scripts.call(path, substitute(), in: world) }
  }

  private func add(
    _ path: [String], _ text: String, in world: ContentChannel.World, substitute: (() -> String?)?
  ) {
    guard isCurrent, let view, let call = view.scripts.call(path, text, in: world) else { return }
    calls.add(call, substitute: substitute)
    lastWorld = world
    makeCalls()
  }

  /// The page asks for the next calls.
  func receive(_ request: CallRequest) {
    self.request = request
    makeCalls()
  }

  private func makeCalls() {
    guard let request, !calls.isEmpty else { return }
    self.request = nil
    request.answer(
      calls.takeAll { count in
        // A console is in every world.
        view?.scripts.call(
          ["console", "warn"],
          "Tessera: \(count) message\(count == 1 ? "" : "s") of the program did not arrive: this page took none for too long.",
          in: lastWorld)
      })
    callsAreSent()
  }

  private func callsAreSent() {
    calls = CallQueue()
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  /// Waits until the page has been sent all calls so far, or the document has ended.
  func sendCalls() async {
    if !calls.isEmpty { await withCheckedContinuation { waiting.append($0) } }
  }
}
