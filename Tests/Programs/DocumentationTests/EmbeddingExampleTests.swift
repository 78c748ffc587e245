import Foundation
import Synchronization
import Tessera
import TestSupport
import Testing

@testable import DocumentationSnippets

@Suite("The example of a program that embeds the bridge")
struct EmbeddingExampleTests {
  private final class RecordedPage: Page {
    let events = Mutex<[String]>([])
    func evaluate(_ script: String) { events.withLock { $0.append(script) } }
    func close() { events.withLock { $0.append("closed") } }
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
