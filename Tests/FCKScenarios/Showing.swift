#if canImport(CTesseraWebKitGTK)
  import CTesseraWebKitGTK
  import FCKOnboarding
  import Foundation
  import TesseraBridge
  import TesseraWebContent

  /// Shows a flow in a window until a person, or a program that plays one, ends it. Arguments: the file, and then any
  /// of `html` and `dark`.
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
      observe("shown", true)
      let report = try await presentation.run()
      observe("outcome", .string(report.outcome.rawValue))
      observe("answers", .object(report.answers.json))
      observe("keys", .array(report.answers.all.map { .string($0.key) }))
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
#endif
