import TesseraBridge
import TesseraCore
import TesseraWebContent

/// A view of the pages of one origin, in a window. It notes its way.
@MainActor
final class SiteView {
  let site: String
  let view: ContentView
  let window: ContentWindow
  /// The steps, with addresses relative to the origin.
  private(set) var steps: [String] = []

  init(_ arguments: [String], session: ContentSession = ContentSession(), behavior: ContentBehavior = .init()) {
    let site = "http://127.0.0.1:\(arguments.first ?? "9")"
    self.site = site
    view = ContentView(session: session, rules: OneSite(site: site), behavior: behavior)
    window = ContentWindow(title: "content", width: 640, height: 480)
    window.add(view)
    window.present()
    view.onNavigation = { [weak self] in self?.note($0) }
  }

  private func note(_ step: ContentNavigation) {
    func relative(_ address: String) -> String {
      address.hasPrefix(site) ? String(address.dropFirst(site.count)) : address
    }
    let text =
      switch step {
      case .started(let address): "started \(relative(address))"
      case .redirected(let address): "redirected \(relative(address))"
      case .committed(let address): "committed \(relative(address))"
      case .finished(let address): "finished \(relative(address))"
      case .failed(let address, let failure): "failed \(relative(address)) \(failure.code)"
      case .cancelled: "cancelled"
      case .addressChanged(let address): "address \(relative(address))"
      }
    steps.append(text)
  }

  /// Shows a page, and waits until it was loaded or the load failed.
  func show(_ path: String) async throws {
    steps = []
    view.load(path.hasPrefix("http") ? path : site + path)
    try await waitForEnd()
  }

  /// Lets the page go to another one.
  func leave(_ path: String) async throws {
    steps = []
    _ = try await view.evaluate("location.href = '\(path)'; 0")
    try await waitForEnd()
  }

  private func waitForEnd() async throws { try await wait(for: "finished", "failed") }

  /// Waits for a step that begins with one of these words.
  func wait(for words: String...) async throws {
    try await becomesTrue { steps.contains(where: { step in words.contains { step.hasPrefix($0) } }) }
    // Steps that must not follow.
    try await letPass(.milliseconds(150))
  }

  func forget() { steps = [] }

  func close() {
    view.close()
    window.close()
  }
}

/// The pages of one origin, and of a port on which nobody listens.
struct OneSite: ContentRules {
  let site: String

  func mayNavigate(to address: String) -> Bool {
    WebOrigin(url: address) == WebOrigin(url: site) || address.hasPrefix("http://127.0.0.1:2/")
  }
  func mayUseChannels(_ address: String) -> Bool { false }
  func mayAskForCameraAndMicrophone(_ address: String) -> Bool { false }
}
