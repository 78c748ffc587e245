import TesseraBridge
import TesseraVirtualChip
import TesseraWindow

/// A launch of the verification page, and what a user does in it.
@MainActor
final class VerificationRun {
  let session: LaunchSession
  let window: LaunchWindow
  private let running: Task<Void, Never>

  /// - Parameters:
  ///   - cards: where the document is.
  ///   - size: the size of the window.
  init(_ cards: CardSource, trust: TestCountry? = nil, size: (Int32, Int32) = (900, 820)) async throws {
    let registry = SdkProviderRegistry()
    let router = MessageRouter.withSystemProviders(
      registry: registry, cards: cards,
      trust: trust.map { .fixed(TrustMaterial(testCountry: $0, provesAuthenticity: true)) } ?? .imported)
    let session = LaunchSession(Launch(mode: .embed))
    self.session = session
    let window = try LaunchWindow(
      .bundled(.verificationPage), session,
      router.serving(LifecycleBridgeHandler(registry: registry, session: session)), LaunchConfiguration())
    self.window = window
    window.window.resize(size.0, size.1)
    running = Task { await window.run() }
    await window.begun()
    // The page has asked for its configuration and knows that there is a reader.
    try await wait("!document.getElementById('leave').hidden")
  }

  /// Types the key of the specimen and begins to read.
  func read() async throws {
    let content = SpecimenDocument.content
    _ = try await window.view.evaluate(
      """
      for (const [id, text] of [["number", "\(content.documentNumber)"], ["birth", "\(content.dateOfBirth)"],
        ["expiry", "\(content.dateOfExpiry)"]]) {
        const field = document.getElementById(id);
        field.value = text;
        field.dispatchEvent(new Event("input", {bubbles: true}));
      }
      document.getElementById("form").requestSubmit(); 0
      """)
  }

  /// Waits until an expression of the page is true.
  func wait(_ expression: String, seconds: Int = 60) async throws {
    let isTrue = try await becomesTrue(within: .seconds(seconds), every: .milliseconds(50)) {
      try await window.view.evaluate("Boolean(\(expression))") == "true"
    }
    if isTrue { return }
    let shown = try await window.view.evaluate("document.querySelector('main').innerText") ?? ""
    throw ContentFailure.loadFailed(reason: "It did not come true: \(expression). The page shows: \(shown)")
  }

  func waitForResult() async throws { try await wait("!document.getElementById('result').hidden") }

  /// The value of an expression of the page.
  func value(_ expression: String) async throws -> JSONValue {
    try await window.view.evaluate(expression).map { try JSONValue(text: $0) } ?? .null
  }

  /// Closes the window as the user does.
  func close() async {
    window.window.onCloseRequest?()
    await running.value
  }
}
