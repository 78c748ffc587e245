import TesseraBridge
import TesseraWindow

/// Round trips of a message between a page and the program: through the bridge, and bare, by turns in one run. A round
/// trip is the time from one request to the next, which the page sends when it has the answer. Argument: the number of
/// rounds of each.
@MainActor
enum RoundTrips {
  private static let batch = 250

  static func run(_ arguments: [String]) async throws {
    let batches = max(2, (arguments.first.flatMap { Int($0) } ?? 5_000) / batch)
    let request = """
      JSON.stringify({type: "request", version: 1, id: "00000000-0000-4000-8000-000000000000", domain: "lifecycle",
        method: "ready", params: {}, timestamp: Date.now()})
      """
    let clock = Clock()
    let bridge = try await bridgeView(clock, request)
    let channel = try await channelView(clock, request)
    let bare = BareView(
      "<script>window.left = 0; window.send = () => { if (left-- > 0) {"
        + "webkit.messageHandlers.bare.postMessage(\(request)); } }; window.answer = (text) => { JSON.parse(text); send(); };</script>"
    )
    try await bare.loaded()
    // As long as the answer of the bridge.
    let answer = BridgeMessage.response(
      to: "00000000-0000-4000-8000-000000000000", domain: .lifecycle, .success(.null))
    let script = "answer(\(ScriptLiteral.quote(answer.text)))"
    bare.onMessage = {
      clock.tick()
      bare.evaluate(script)
    }
    var times = (bridge: [Double](), channel: [Double](), bare: [Double]())
    for round in 0..<batches {
      let bridged = try await clock.measure(batch) {
        Task { _ = try await bridge.evaluate("window.left = \(batch); send(); 0") }
      }
      let channelled = try await clock.measure(batch) {
        Task { _ = try await channel.evaluate("window.left = \(batch); send(); 0") }
      }
      let bared = try await clock.measure(batch) { bare.evaluate("window.left = \(batch); send(); 0") }
      // The first round compiles the scripts.
      guard round > 0 else { continue }
      times.bridge += bridged
      times.channel += channelled
      times.bare += bared
    }
    let (ours, floor) = (Percentiles(times.bridge), Percentiles(times.bare))
    observe(
      "round trips",
      [
        "count": .integer(Int64(times.bridge.count)), "bridge": ours.json,
        "channel": Percentiles(times.channel).json, "bare": floor.json,
        "ratio": .string(
          "median \(text(ours.median / floor.median)), 99 % \(text(ours.ninetyNinth / floor.ninetyNinth))"),
      ])
    bare.close()
  }

  private static func bridgeView(_ clock: Clock, _ request: String) async throws -> ContentView {
    let permissions = try Permissions(granted: [], file: "/proc/nonexistent/grants", ask: nil)
    let router = MessageRouter(handlers: [TickingHandler(clock)])
    let channel = ContentChannel(["SelfNativeIOS", "selfNative"], body: .textOrObject) { document in
      BridgeReceiver(document, router: router, permissions: permissions, caller: .local)
    }
    return try await view(channel, request)
  }

  /// A channel whose receiver answers at once: what WebKit and the scripts of the channel take, without the bridge.
  private static func channelView(_ clock: Clock, _ request: String) async throws -> ContentView {
    let answer = BridgeMessage.response(
      to: "00000000-0000-4000-8000-000000000000", domain: .lifecycle, .success(.null)
    ).text
    let channel = ContentChannel(["SelfNativeIOS"]) { document in
      Passing { [weak document] _ in
        clock.tick()
        document?.call(["SelfNativeBridge", "_handleResponse"], answer)
      }
    }
    return try await view(channel, request)
  }

  private static func view(_ channel: ContentChannel, _ request: String) async throws -> ContentView {
    let page = """
      <!doctype html><script>
      window.left = 0;
      window.send = () => { if (left-- > 0) { webkit.messageHandlers.SelfNativeIOS.postMessage(\(request)); } };
      window.SelfNativeBridge = {_handleResponse: (text) => { JSON.parse(text); send(); }, _handleEvent() {}};
      </script>
      """
    let content = BundledContent(
      name: "round-trips",
      files: ["index.html": BundledContent.File(mediaType: "text/html", bytes: Array(page.utf8))],
      securityPolicy: "default-src 'none'; script-src 'unsafe-inline'")
    let view = ContentView(
      session: ContentSession(), rules: EveryPage(), channels: [channel])
    let window = ContentWindow(title: "bridge")
    window.add(view)
    window.present()
    await view.loaded { view.load(content) }
    kept.append(window)
    return view
  }

  private static var kept: [ContentWindow] = []

  fileprivate static func text(_ value: Double) -> String { String(Double(Int(value * 100)) / 100) }
}

struct EveryPage: ContentRules {
  func mayNavigate(to address: String) -> Bool { true }
  func mayUseChannels(_ address: String) -> Bool { true }
  func mayAskForCameraAndMicrophone(_ address: String) -> Bool { false }
}

/// Collects the times between requests.
@MainActor
private final class Clock {
  private var last: ContinuousClock.Instant?
  private var times: [Double] = []
  private var wanted = 0
  private var end: CheckedContinuation<[Double], any Error>?

  func measure(_ count: Int, _ begin: () -> Void) async throws -> [Double] {
    (last, times, wanted) = (nil, [], count)
    return try await withCheckedThrowingContinuation { continuation in
      end = continuation
      begin()
    }
  }

  func tick() {
    let now = ContinuousClock.now
    if let last {
      let time = last.duration(to: now).components
      times.append(Double(time.seconds) * 1e6 + Double(time.attoseconds) / 1e12)
    }
    last = now
    guard times.count == wanted - 1, let end else { return }
    self.end = nil
    end.resume(returning: times)
  }
}

private struct TickingHandler: BridgeHandler {
  let domain = BridgeDomain.lifecycle
  private let clock: Clock
  init(_ clock: Clock) { self.clock = clock }

  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    await clock.tick()
    return .null
  }
}

private struct Percentiles {
  let median: Double
  let ninetyNinth: Double

  init(_ values: [Double]) {
    let sorted = values.sorted()
    median = sorted[sorted.count / 2]
    ninetyNinth = sorted[sorted.count * 99 / 100]
  }

  /// In microseconds.
  @MainActor var json: JSONValue {
    ["medianMicroseconds": .string(RoundTrips.text(median)), "percentile99": .string(RoundTrips.text(ninetyNinth))]
  }
}
