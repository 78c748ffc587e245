import CTesseraWebKitGTK
import FCKOnboarding
import Foundation
import TesseraBridge
import TesseraWebContent

/// Shows a flow in a window until a user, or a program that plays one, ends it. Arguments: the file, and then any
/// of `html` and `dark`. It says `screen` with the number of a screen when that screen takes keys, and `told` with what
/// is wrong with the fields when that is drawn.
@MainActor
enum Showing {
  static func run(_ arguments: [String]) async throws {
    let flow = try Sample.flow(arguments.first ?? "")
    if arguments.contains("dark") { preferDark() }
    let onboarding = FCKOnboarding(services: .recorded())
    var options = FlowWindowOptions()
    options.usesPage = arguments.contains("html")
    options.program = "Desk"
    let presentation = FlowPresentation(flow, of: onboarding, options: options)
    let watch = Task { try await tellScreens(presentation.view) }
    let report = try await presentation.run()
    watch.cancel()
    observe("outcome", .string(report.outcome.rawValue))
    observe("answers", .object(report.answers.json))
    observe("keys", .array(report.answers.all.map { .string($0.key) }))
  }

  private static func tellScreens(_ view: OnboardingFlowView) async throws {
    var told: Int?
    var toldProblems: [String] = []
    while true {
      let index = view.screenIndex
      if index != told, try await isReady(view) {
        told = index
        observe("screen", .integer(Int64(index)))
      }
      let problems = view.screen.map(Self.problems) ?? []
      if problems != toldProblems, try await isReady(view) {
        toldProblems = problems
        observe("told", .array(problems.map { .string($0) }))
      }
      try await letPass(.milliseconds(20))
    }
  }

  private static func problems(_ node: RenderNode) -> [String] {
    let problem: RenderProblem? =
      switch node.content {
      case .entry(let entry): entry.problem
      case .datePicker(let picker): picker.problem
      case .choice(let choice): choice.problem
      case .stack, .text, .picture, .button, .toggle, .progressBar: nil
      }
    return [problem?.message].compactMap(\.self) + node.children.flatMap(problems)
  }

  /// Whether the screen is drawn. What a page is told before a question is done before the answer.
  private static func isReady(_ view: OnboardingFlowView) async throws -> Bool {
    guard let page = view.page else {
      return gtk_widget_get_mapped(view.widget) != 0 && gtk_widget_get_height(view.widget) > 0
    }
    guard page.document != nil else { return false }
    return try await page.evaluate("document.readyState === 'complete' && 'fckApply' in window") == "true"
  }

  private static func preferDark() {
    guard let settings = gtk_settings_get_default() else { return }
    var value = GValue()
    g_value_init(&value, GType(5 << 2))  // G_TYPE_BOOLEAN, a macro that Swift does not import
    g_value_set_boolean(&value, 1)
    g_object_set_property(
      UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self), "gtk-application-prefer-dark-theme",
      &value)
    g_value_unset(&value)
  }
}

/// A flow among the samples.
enum Sample {
  static func flow(_ path: String) throws -> FlowConfig {
    let document = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    var problems: [FlowProblem] = []
    return try FlowConfig(document, problems: &problems)
  }
}

extension FCKServices {
  /// Without a network and without devices.
  static func recorded(
    client: OnboardingClient = OnboardingClient(), transport: StubServer = .picture,
    haptics: RecordedHaptics = RecordedHaptics()
  ) -> FCKServices {
    FCKServices(client: client, transport: transport, haptics: haptics)
  }
}
