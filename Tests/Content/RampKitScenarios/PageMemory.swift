import RampKit
import TesseraBridge
import TesseraCore
import TesseraWebContent

/// The memory of ten pages in one process, and in a process each. Arguments: `one` or `each`.
@MainActor
enum PageMemory {
  private struct OwnContent: ContentRules {
    func mayNavigate(to address: String) -> Bool { true }
    func mayUseChannels(_ address: String) -> Bool { true }
    func mayAskForCameraAndMicrophone(_ address: String) -> Bool { false }
  }

  static func run(_ arguments: [String]) async throws {
    let flow = OnboardingData.numbered(10)
    let window = ContentWindow(title: "memory")
    let session = ContentSession()
    var views: [ContentView] = []
    for (index, screen) in flow.screens.enumerated() {
      let document = PageDocument(screen, of: flow, index: index, context: nil, variables: [:], locale: "en")
      let file = BundledContent.File(mediaType: "text/html", bytes: Array(document.html.utf8))
      let view = ContentView(
        session: session, rules: OwnContent(), sharingProcessOf: arguments.first == "one" ? views.first : nil)
      window.add(view)
      window.setShown(index == 0, view)
      views.append(view)
      view.load(
        BundledContent(name: "memory-\(index)", files: ["index.html": file], securityPolicy: document.securityPolicy))
    }
    window.present()
    for view in views {
      try await becomesTrue { await (try? view.evaluate("document.readyState")) == #""complete""# }
    }
    try await letPass(.seconds(2))
    observe("processes", .integer(Int64(ProcessMemory.processes)))
    observe("kilobytes", .integer(Int64(ProcessMemory.proportional())))
  }
}
