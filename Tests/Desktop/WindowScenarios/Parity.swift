import BridgeVectors
import TesseraBridge
import TesseraWindow

/// The vectors of the bridge, sent by a page in a real view: every request, response and event passes through WebKit.
@MainActor
enum Parity {
  static func run(_ arguments: [String]) async throws {
    let matrix = try await ParityMatrix.run(BridgeVectors.carriedCases, through: [WindowTransport()])
    observe("cases", .integer(Int64(BridgeVectors.carriedCases.count)))
    observe("failures", .array(matrix.failures.map(JSONValue.string)))
    observe("missing", .array(matrix.missing.map(JSONValue.string)))
    for vector in BridgeVectors.carriedSequences {
      let step = try await VectorSequences.mismatch(vector, through: WindowTransport())
      observe("sequence", ["id": .string(vector.id), "step": step.map(JSONValue.string) ?? .null])
    }
  }
}

/// A page with the client's two functions, which passes on what it receives through a channel of its own.
struct WindowTransport: BridgeTransport {
  let name = "window"

  func open(_ router: MessageRouter, isTrusted: Bool) async throws -> (any VectorConnection)? {
    try await WindowConnection(router, isTrusted: isTrusted)
  }
}

@MainActor
private final class WindowConnection: VectorConnection {
  nonisolated let received: AsyncStream<String>
  private let view: ContentView
  private let window = ContentWindow(title: "vectors")

  private static let page = BundledContent(
    name: "vectors",
    files: [
      "index.html": BundledContent.File(
        mediaType: "text/html",
        bytes: Array(
          """
          <!doctype html><script>
          const pass = (text) => webkit.messageHandlers.vectors.postMessage(text);
          window.SelfNativeBridge = {_handleResponse: pass, _handleEvent: pass};
          </script>
          """.utf8))
    ], securityPolicy: "default-src 'none'; script-src 'unsafe-inline'")

  init(_ router: MessageRouter, isTrusted: Bool) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    received = stream
    let permissions = try Permissions(granted: [], file: "/proc/nonexistent/grants", ask: nil)
    let bridge = ContentChannel(["SelfNativeIOS", "selfNative"], body: .textOrObject) { document in
      BridgeReceiver(document, router: router, permissions: permissions, caller: .local)
    }
    let vectors = ContentChannel(["vectors"]) { _ in Passing { continuation.yield($0) } }
    view = ContentView(
      session: ContentSession(), rules: PageRules(mayUseChannels: isTrusted), channels: [bridge, vectors])
    window.add(view)
    let (loads, load) = AsyncStream.makeStream(of: Void.self)
    view.onLoaded = { load.finish() }
    view.load(Self.page)
    for await _ in loads {}
  }

  func send(_ text: String) async throws {
    _ = try await view.evaluate(
      "webkit.messageHandlers.SelfNativeIOS.postMessage(\(ScriptLiteral.quote(text))); 0")
  }

  func close() async { await end() }

  private func end() async {
    view.close()
    window.close()
  }
}

private struct PageRules: ContentRules {
  let mayUseChannels: Bool
  func mayNavigate(to address: String) -> Bool { true }
  func mayUseChannels(_ address: String) -> Bool { mayUseChannels }
  func mayAskForCameraAndMicrophone(_ address: String) -> Bool { false }
}

@MainActor
final class Passing: ContentReceiver {
  private let pass: (String) -> Void
  init(_ pass: @escaping (String) -> Void) { self.pass = pass }
  func receive(_ message: ContentMessage) { pass(message.text) }
  func documentEnded() {}
}
