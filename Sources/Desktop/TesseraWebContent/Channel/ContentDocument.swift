import CTesseraWebKitGTK
import TesseraCore

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

  let tokens = ChannelScripts.Tokens()
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
    for receiver in ending { receiver.documentEnded() }
  }

  /// Calls a function of the page, in its top frame. Nothing happens if the document has ended, or if the page has no
  /// such function.
  ///
  /// - Parameters:
  ///   - path: the names that lead from `window` to the function, for example `["SelfNativeBridge", "_handleEvent"]`.
  ///     Each is an identifier of JavaScript.
  ///   - text: the only argument.
  ///   - world: the scripts whose function is called.
  public func call(_ path: [String], _ text: String, in world: ContentChannel.World = .page) {
    guard isCurrent, let view else { return }
    view.run(view.scripts.call(tokens, path: path, literal: ScriptLiteral.quote(text)), in: world)
  }
}
