import CTesseraWebKitGTK
import Dispatch
import Glibc
import TesseraBridge
import TesseraWindow

/// What a program says when it configures launches, and what it may forget: to run in GLib's loop.
@MainActor
enum Configuring {
  /// Weighs for pages.
  private struct ScalesHandler: BridgeHandler {
    let domain = BridgeDomain("scales", methods: ["weigh"], wish: "wants to use the scales.")

    func handle(
      _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
    ) async throws -> JSONValue {
      guard request.method == "weigh" else { throw BridgeError("METHOD_NOT_FOUND", "No such method.") }
      let unit = try request.parameters.required("unit", orElse: "MISSING_UNIT")
      emit("waiting", [:])
      return ["weight": 250, "unit": .string(unit)]
    }
  }

  /// Answers for a published domain.
  private struct OwnHapticHandler: BridgeHandler {
    let domain = BridgeDomain.haptic

    func handle(
      _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
    ) async throws -> JSONValue { "that of the program" }
  }

  /// The page reports what a program's own handlers answer.
  static func run(_ arguments: [String]) async throws {
    var configuration = LaunchConfiguration(
      content: .bundled(
        Endings.page(
          """
          const events = [];
          window.SelfNativeBridge._handleEvent = (text) => {
            const {domain, event} = JSON.parse(text);
            if (domain === 'scales') { events.push(event); }
          };
          (async () => {
            const {data} = await ask('scales', 'weigh', {unit: 'g'});
            const missing = (await ask('scales', 'weigh')).error.code;
            const haptic = (await ask('haptic', 'isAvailable')).data;
            ask('lifecycle', 'setResult', {success: true, claims: {data, missing, haptic, events}});
          })();
          """)))
    configuration.grantsFile = "/proc/nonexistent/grants"
    for (name, registry) in [("own providers", SdkProviderRegistry()), ("providers of the system", nil)] {
      let sdk = SelfSdk.configure(configuration, registry: registry, handlers: [ScalesHandler(), OwnHapticHandler()])
      let result = try await sdk.launch(nil)
      observe(name, result.claims.map(JSONValue.object) ?? .null)
      observe("is shared", .bool(SelfSdk.shared === sdk))
    }
  }

  /// A launch whose main actor is served as after the `await` of an `async` main. With the argument "pumped", the program
  /// runs GLib's loop in its own way.
  nonisolated static func runWithoutLoop(_ arguments: [String]) -> Never {
    Task { @MainActor in
      let pump = Task { @MainActor in
        while arguments.contains("pumped"), !Task.isCancelled {
          g_main_context_iteration(nil, 0)
          try await Task.sleep(for: .milliseconds(10))
        }
      }
      do throws(LaunchError) {
        _ = try await SelfSdk.configure(registry: SdkProviderRegistry()).launch(nil)
      } catch {
        if case .failed(let problem) = error {
          observe("failed", ["code": .string(problem.code), "message": .string(problem.message)])
        }
      }
      pump.cancel()
      _exit(0)
    }
    dispatchMain()
  }
}
