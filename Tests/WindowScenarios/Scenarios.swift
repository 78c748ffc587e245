#if canImport(CTesseraWebKitGTK)
  import FoundationEssentials
  import Glibc
  @testable import TesseraWindow
  import TesseraVirtualChip

  @main
  struct Scenarios {
    static func main() {
      setenv("GDK_BACKEND", "x11", 0)
      let arguments = Array(CommandLine.arguments.dropFirst())
      MainLoop.run {
        do { try await VerificationRun.run(arguments) } catch { print("error", error) }
      }
      fflush(nil)
      _exit(0)
    }
  }

  @MainActor enum VerificationRun {
    static func run(_ arguments: [String]) async throws {
      try MainLoop.openDisplay()
      let specimen = try SpecimenDocument()
      let registry = SdkProviderRegistry()
      let router = MessageRouter.withSystemProviders(
        registry: registry, cards: .virtual(.bac, specimen.files),
        trust: .fixed(TrustMaterial(testCountry: specimen.country, provesAuthenticity: true)))
      let session = LaunchSession(Launch(mode: .embed, verificationRequest: VerificationRequest(scope: "Hotel")))
      let window = try LaunchWindow(
        .bundled(.verificationPage), session,
        router.serving(LifecycleBridgeHandler(registry: registry, session: session)), LaunchConfiguration())
      let run = Task { await window.run() }
      try await Task.sleep(for: .seconds(2))
      print(window.view.address, window.view.document?.origin ?? "none", window.window.showsNotice)
      print(
        try await window.view.evaluate("[document.title, document.getElementById('notice').textContent, window.origin]")
          ?? "nil")
      _ = try? await window.view.evaluate(
        "fetch('page.css').then(r => { window.x = [r.status, r.headers.get('content-type')] }, e => { window.x = String(e) }), 1"
      )
      try await Task.sleep(for: .seconds(1))
      print(
        "X",
        try await window.view.evaluate(
          "[document.styleSheets.length, window.x, document.querySelector('link').sheet === null]") ?? "")
      try await window.view.saveSnapshot(to: "/tmp/w1.png")
      let text = Array(specimen.files.mrzInformation!.text)
      let key = (
        documentNumber: String(text[..<9]), dateOfBirth: String(text[10..<16]), dateOfExpiry: String(text[17..<23])
      )
      let js = """
        document.getElementById('number').value = '\(key.documentNumber)';
        document.getElementById('birth').value = '\(key.dateOfBirth)';
        document.getElementById('expiry').value = '\(key.dateOfExpiry)';
        document.getElementById('form').requestSubmit(); 1
        """
      _ = try await window.view.evaluate(js)
      try await Task.sleep(for: .seconds(3))
      print(
        try await window.view.evaluate(
          "document.getElementById('verdict').textContent + document.getElementById('notice').textContent") ?? "nil")
      try await window.view.saveSnapshot(to: "/tmp/w2.png")
      _ = try await window.view.evaluate("document.getElementById('done').click(), 1")
      print(await session.outcome)
      await run.value
    }
  }
#else
  @main struct Scenarios { static func main() { print("no WebKitGTK") } }
#endif
