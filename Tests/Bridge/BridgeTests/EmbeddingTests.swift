import TesseraBridge
import TesseraLinuxProviders
import Testing

@Suite("Embedding the bridge in a program")
struct EmbeddingTests {
  @Test("the system has every provider but the window's")
  func isConfigured() {
    let registry = SdkProviderRegistry()
    _ = MessageRouter.withSystemProviders(registry: registry)
    #expect(!registry.isConfigured && registry.providers.isCommonConfigured && registry.providers.haptic != nil)
    registry.register { $0.webView = NoWindow() }
    #expect(registry.isConfigured)
  }
}
