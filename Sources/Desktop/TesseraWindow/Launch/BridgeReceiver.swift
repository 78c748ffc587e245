import CTesseraWebKitGTK
import Dispatch
import TesseraBridge
import TesseraCore
import TesseraJSON
import TesseraLinuxProviders
import TesseraThreads
import TesseraWebContent

/// The bridge in one document: routes its requests, and delivers responses and events (the bridge protocol, sections
/// Messages and Delivery).
@MainActor
package final class BridgeReceiver: ContentReceiver {
  /// The number of requests of one document that wait for an answer.
  private static let maximumRequests = 256
  /// The number of events that wait for the first message of a document; the newest.
  private static let maximumEvents = 256
  /// What takes the place of an answer when a page that hangs has too many.
  private static let slowReader = BridgeError("SLOW_READER", "This page did not take its answers for too long.")
  /// The number of lines that the bridge writes to the console of one document.
  private static let maximumWarnings = 8

  /// Called when the page says that it is ready (`lifecycle.ready`).
  var onReady: (@MainActor () -> Void)?
  /// Called for each request of a client of another version of the protocol.
  var onVersionMismatch: (@MainActor (VersionMismatch) -> Void)?

  private let document: ContentDocument
  private let router: MessageRouter
  private let permissions: Permissions
  private let caller: Caller
  private let viewfinder: (any CameraViewfinding)?
  private let connection = BridgeConnection()
  private let outbox: Outbox
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var running: Set<Int> = []
  /// Those of `tasks` that may state the result of the launch.
  private var statements: Set<Int> = []
  private var following: [Task<Void, Never>] = []
  private var count = 0
  private var warnings = 0
  /// Events from the host that wait for the page's first message: before it, the page has no client that receives
  /// them. nil afterwards.
  private var waiting: [BridgeMessage]? = []

  package init(
    _ document: ContentDocument, router: MessageRouter, permissions: Permissions, caller: Caller,
    viewfinder: (any CameraViewfinding)? = nil
  ) {
    self.viewfinder = viewfinder
    self.document = document
    self.router = router
    self.permissions = permissions
    self.caller = caller
    outbox = Outbox { [weak document] message in
      switch message {
      case .event: document?.call(["SelfNativeBridge", "_handleEvent"], message.text)
      case .refusal: document?.call(["SelfNativeBridge", "_handleResponse"], message.text)
      case .response(let request, let domain, _):
        document?.call(["SelfNativeBridge", "_handleResponse"], message.text) {
          BridgeMessage.response(to: request, domain: domain, .failure(Self.slowReader)).text
        }
      }
    }
  }

  /// The names under which clients find the bridge: the current one and an older one (the bridge protocol, section
  /// Transport).
  private static let handlerNames = ["SelfNativeIOS", "selfNative"]

  /// The channel between pages and a router.
  ///
  /// - Parameters:
  ///   - caller: who a document is for the router.
  ///   - onOpen: called with the bridge of each new document.
  package static func channel(
    router: MessageRouter, permissions: Permissions, viewfinder: (any CameraViewfinding)? = nil,
    caller: @escaping @MainActor @Sendable (ContentDocument) -> Caller,
    onOpen: @escaping @MainActor @Sendable (BridgeReceiver) -> Void = { _ in }
  ) -> ContentChannel {
    ContentChannel(handlerNames, body: .textOrObject) { document -> any ContentReceiver in
      let bridge = BridgeReceiver(
        document, router: router, permissions: permissions, caller: caller(document), viewfinder: viewfinder)
      onOpen(bridge)
      return bridge
    }
  }

  package func receive(_ message: ContentMessage) {
    if let events = waiting {
      waiting = nil
      for event in events { outbox.send(event) }
    }
    guard tasks.count < Self.maximumRequests else { return refuse(message.text) }
    count += 1
    let number = count
    // Immediate: a short request is answered in this turn of the loop, and a scan is registered before the next
    // message, which may cancel it.
    running.insert(number)
    let task = Task.immediate { @MainActor in
      await CameraViewfinder.$current.withValue(viewfinder) { await answer(message.text) }
      running.remove(number)
      statements.remove(number)
      tasks[number] = nil
    }
    // Most requests are answered by now.
    guard running.contains(number) else { return }
    tasks[number] = task
    if router.head(of: message.text.utf8)?.domain == .lifecycle { statements.insert(number) }
  }

  private func refuse(_ text: String) {
    guard let head = router.head(of: text.utf8) else { return }
    outbox.send(
      .response(
        to: head.id, domain: head.domain,
        .failure(BridgeError("TOO_MANY_REQUESTS", "This page has too many requests without an answer."))))
  }

  private func answer(_ text: String) async {
    let outbox = outbox
    let send: @Sendable (BridgeMessage) -> Void = { outbox.send($0) }
    do {
      let message = try JSONValue(text: text)
      let request: BridgeRequest
      switch router.read(message, from: caller, over: connection) {
      case .request(let read): request = read
      case .otherVersion(let mismatch):
        mismatch.response.map(send)
        if mismatch.isOfClient { onVersionMismatch?(mismatch) }
        return
      case .malformed(let malformed):
        warn(malformed.problem)
        return send(malformed.response)
      case .dropped(let reason): return warn("A message gets no response: \(reason.reason).")
      }
      if LifecycleBridgeHandler.isReady(request) { onReady?() }
      guard await permissions.allows(request) else {
        let error =
          request.mayHaveMethod
          ? BridgeError("NOT_ALLOWED", permissions.refusal) : BridgeError.methodNotFound(request)
        return send(.response(to: request.id, domain: request.domain, .failure(error)))
      }
      await router.route(request, send: send)
    } catch {
      if BridgeError(error) == nil { return warn("A message gets no response: \(DroppedMessage.notJSON.reason).") }
      await router.route(text, from: caller, over: connection, send: send)
    }
  }

  /// Tells the developer on the page's console what is wrong. The first few lines are enough.
  private func warn(_ text: String) {
    guard warnings < Self.maximumWarnings else { return }
    warnings += 1
    document.call(["console", "warn"], "Tessera: \(text)")
  }

  /// Sends an event of the host.
  package func push(_ event: BridgeMessage) {
    guard var events = waiting else { return outbox.send(event) }
    waiting = nil
    events.append(event)
    waiting = events.suffix(Self.maximumEvents)
  }

  /// Sends the events of a sequence until the document ends.
  package func push<Events: AsyncSequence & Sendable>(_ events: Events) where Events.Element == BridgeMessage {
    following.append(
      Task { [weak self] in
        do { for try await event in events { self?.push(event) } } catch {}
      })
  }

  package func documentEnded() {
    for task in following { task.cancel() }
    for task in tasks.values { task.cancel() }
  }

  /// Waits until what the page has said of its result so far is known.
  func statementsEnded() async {
    for number in statements { await tasks[number]?.value }
  }

  /// Waits until the requests under way have ended.
  package func finished() async {
    for task in tasks.values { await task.value }
  }
}

/// Delivers messages to the main thread in the order in which they were sent.
private final class Outbox: Sendable {
  private let queue = Locked<[BridgeMessage]>([])
  private let deliver: @MainActor @Sendable (BridgeMessage) -> Void

  init(_ deliver: @escaping @MainActor @Sendable (BridgeMessage) -> Void) { self.deliver = deliver }

  func send(_ message: BridgeMessage) {
    let isFirst = queue.withLock { queue in
      queue.append(message)
      return queue.count == 1
    }
    // The main thread owns GLib's default context. A detour over its queue would take longer than the answer.
    if g_main_context_is_owner(nil) != 0 {
      MainActor.assumeIsolated { drain() }
    } else if isFirst {
      DispatchQueue.main.async { MainActor.assumeIsolated { self.drain() } }
    }
  }

  @MainActor private func drain() {
    while true {
      let messages = queue.withLock { queue in
        defer { queue = [] }
        return queue
      }
      guard !messages.isEmpty else { return }
      for message in messages { deliver(message) }
    }
  }
}
