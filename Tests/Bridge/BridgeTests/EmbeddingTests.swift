import Foundation
import Synchronization
import TesseraBridge
import TesseraCore
import TesseraKeys
import TesseraVirtualChip
import TestSupport
import Testing

// The example of the documentation: a program that shows web content and serves the bridge to it.
// begin of the example

/// A window of the program with a page.
private protocol Page: Sendable {
  func evaluate(_ script: String)
  func close()
}

/// One verification in a window.
private struct Verification: LaunchHost {
  let page: any Page
  let outcome: @Sendable (String) -> Void

  func onSuccess(_ result: VerificationResult) async { outcome("verified \(result.userId ?? "unknown user")") }
  func onFailure(_ error: VerificationError) async { outcome("failed: \(error.code)") }
  func onCancelled() async { outcome("cancelled") }
  func dismiss() async { page.close() }
}

/// The bridge of one page.
private struct PageBridge {
  private let router: MessageRouter
  private let policy: ContentPolicy
  private let connection = BridgeConnection()
  private let page: any Page

  init(
    _ shared: MessageRouter, _ registry: SdkProviderRegistry, _ policy: ContentPolicy, _ session: LaunchSession,
    _ page: any Page
  ) {
    // All windows share readers and keys. Each window has its own launch.
    router = shared.serving(LifecycleBridgeHandler(registry: registry, session: session))
    self.policy = policy
    self.page = page
  }

  /// Handles a text that the page posted.
  ///
  /// - Parameter address: the address of the page at that time.
  func received(_ text: String, from address: String) async {
    guard policy.mayUseBridge(address), let origin = WebOrigin(url: address) else { return }
    await router.route(text, from: .web(origin: origin.canonical), over: connection) { [page] message in
      page.evaluate(message.script)
    }
  }
}

// end of the example

@Suite("Embedding the bridge in a program")
struct EmbeddingTests {
  private final class RecordedPage: Page {
    let events = Mutex<[String]>([])
    func evaluate(_ script: String) { events.withLock { $0.append(script) } }
    func close() { events.withLock { $0.append("closed") } }
  }

  @Test("the system has every provider but the window's")
  func isConfigured() {
    let registry = SdkProviderRegistry()
    _ = MessageRouter.withSystemProviders(registry: registry)
    #expect(!registry.isConfigured && registry.providers.isCommonConfigured && registry.providers.haptic != nil)
    registry.register { $0.webView = NoWindow() }
    #expect(registry.isConfigured)
  }

  @Test("the documented example serves a page, receives its result and closes it")
  func example() async throws {
    let folder = try TemporaryFolder()
    let registry = SdkProviderRegistry()
    let router = MessageRouter.withSystemProviders(
      registry: registry, cards: .virtual(.bac, try SpecimenDocument().files),
      keys: FileKeyStore(path: folder.url.path, newKeys: .unprotected, secrets: NonInteractive()))
    let page = RecordedPage()
    let outcomes = Mutex<[String]>([])
    let host = Verification(page: page) { outcome in outcomes.withLock { $0.append(outcome) } }
    let request = VerificationRequest(userId: "user-1", scope: "identity", disclosures: ["name"])
    let session = LaunchSession(Launch(mode: .embed, verificationRequest: request), host: host)
    let bridge = PageBridge(router, registry, ContentPolicy(SelfSdkConfig()), session, page)

    let address = try ContentPolicy(SelfSdkConfig()).startURL(query: LaunchQuery.text(SelfSdkConfig(), request))
    func post(_ domain: String, _ method: String, _ parameters: String = "{}", from address: String) async {
      await bridge.received(
        #"{"type":"request","version":1,"id":"\#(method)","domain":"\#(domain)","method":"\#(method)","params":\#(parameters),"timestamp":1}"#,
        from: address)
    }
    await post("nfc", "isSupported", from: "https://evil.example/")
    await post("nfc", "isSupported", from: "https://verify.didit.me/session/1")
    #expect(page.events.withLock { $0 } == [])
    await post("lifecycle", "getConfig", from: address)
    await post(
      "nfc", "scan", #"{"passportNumber":"TS0264718","dateOfBirth":"900214","dateOfExpiry":"350630"}"#, from: address)
    await post("lifecycle", "setResult", #"{"success":true,"userId":"user-1"}"#, from: address)
    await post("lifecycle", "dismiss", from: address)

    let events = page.events.withLock { $0 }
    #expect(events.first?.contains(#""mode":"embed""#) == true)
    #expect(events.count { $0.hasPrefix("window.SelfNativeBridge._handleEvent('") } == 8)
    #expect(events.count { $0.hasPrefix("window.SelfNativeBridge._handleResponse('") } == 4)
    #expect(events.contains { $0.contains(#""requestId":"scan""#) && $0.contains(#""success":true"#) })
    // The response to `setResult` precedes the closing of the window.
    let closed = try #require(events.firstIndex(of: "closed"))
    #expect(events[closed - 1].contains(#""requestId":"setResult""#))
    #expect(events.count { $0 == "closed" } == 1)
    #expect(outcomes.withLock { $0 } == ["verified user-1"])
  }
}
