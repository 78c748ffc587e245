import CTesseraWebKitGTK
import FCKOnboarding
import TesseraBridge

/// The widgets of every screen of a flow. Argument: the file.
@MainActor
enum Trees {
  static func run(_ arguments: [String]) async throws {
    let flow = try Sample.flow(arguments.first ?? "")
    for screen in flow.screens {
      let shown = try await ShownFlow(FlowConfig(version: 1, screens: [screen]))
      guard let root = shown.view.widget(of: screen.root.id) else {
        throw ScenarioError(description: "the screen has no root")
      }
      observe("tree \(screen.id)", .string(WidgetTree.classes(root)))
      observe("texts \(screen.id)", .array(WidgetTree.texts(root).map { .string($0) }))
      // The first control has the focus.
      observe("focus \(screen.id)", .string(focused(shown)))
      await shown.close()
    }
  }

  private static func focused(_ shown: ShownFlow) -> String {
    guard let focus = gtk_window_get_focus(shown.window) else { return "" }
    return WidgetTree.className(focus)
  }
}
