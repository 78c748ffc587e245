import FoundationEssentials
import TesseraBridge
import TesseraCore
import TesseraGrants
import TesseraWebContent

/// Launches web content in a window and returns its result (the bridge protocol, section Launch).
///
/// ```swift
/// import TesseraWindow
///
/// /// Shows the verification page, and returns the name of the holder.
/// @MainActor
/// func surname() async throws -> String? {
///   let sdk = SelfSdk.configure()
///   let result = try await sdk.launch(VerificationRequest(disclosures: ["surname"]))
///   return result.claims?["surname"]?.stringValue
/// }
/// ```
///
/// The plain `main` of the program runs it in GTK's loop, as its last line: `exit(MainLoop.run { await show() } ?? 1)`. In the
/// static `main()` of a type with `@main`, which is not of the main actor, `MainActor.assumeIsolated { … }` is around the call.
@MainActor
public final class SelfSdk {
  /// The last configured instance; nil before `configure`.
  public private(set) static var shared: SelfSdk?

  /// Whether pages run in a sandbox (bubblewrap). Where the system cannot make one, only bundled content is shown.
  public static var isSandboxed: Bool { WebSandbox.isUsed }

  private let configuration: LaunchConfiguration
  private let registry: SdkProviderRegistry
  private let router: MessageRouter
  package var sessions = EnterpriseResolver()

  /// Makes the instance that `launch` uses, or replaces it.
  ///
  /// - Parameters:
  ///   - configuration: what is shown, and how.
  ///   - registry: the providers of the program, in place of the devices of this system: a new registry has none. nil for
  ///     the devices of this system.
  ///   - handlers: the handlers of domains of the program. One of a published domain takes the place of the standard one,
  ///     except for `lifecycle` and `navigation`.
  @discardableResult
  public static func configure(
    _ configuration: LaunchConfiguration = LaunchConfiguration(), registry: SdkProviderRegistry? = nil,
    handlers: [any BridgeHandler] = []
  ) -> SelfSdk {
    let providers = registry ?? SdkProviderRegistry()
    let router =
      registry == nil
      ? MessageRouter.withSystemProviders(registry: providers)
      : MessageRouter(handlers: MessageRouter.standardHandlers(registry: providers))
    let sdk = SelfSdk(configuration, providers, handlers.reduce(router) { $0.serving($1) })
    shared = sdk
    return sdk
  }

  /// - Parameters:
  ///   - configuration: the window and the rights of its pages.
  ///   - registry: the providers, from which the page learns what it can use.
  ///   - router: answers the requests of the page. Its `lifecycle` and `navigation` handlers are replaced for each
  ///     launch.
  public init(_ configuration: LaunchConfiguration, _ registry: SdkProviderRegistry, _ router: MessageRouter) {
    self.configuration = configuration
    self.registry = registry
    self.router = router
    // The provider of an earlier instance has an earlier configuration.
    registry.register { providers in
      if providers.webView == nil || providers.webView is WindowProvider {
        providers.webView = WindowProvider(configuration)
      }
    }
  }

  /// Shows the content, and returns when it has a result.
  ///
  /// - Parameters:
  ///   - request: what is to be verified; nil for the wallet without a request.
  ///   - mode: the wallet of the user, or one verification for this program.
  /// - Throws: `LaunchError.cancelled` if the user closed the window; `LaunchError.failed` with the code of the page,
  ///   with that of `EnterpriseSessionError` if the request has a session, or with `NO_MAIN_LOOP` (the program does not
  ///   run in GLib's loop: see `MainLoop.run`), `NO_VIEW_CONTROLLER` (no display), `NO_SANDBOX`, `INVALID_CONFIGURATION`,
  ///   `LOAD_FAILED`, `LOAD_TIMEOUT`, `SERVER_ERROR`, `VERSION_MISMATCH`, `WEB_PROCESS_TERMINATED`.
  public func launch(
    _ request: VerificationRequest?, mode: Launch.Mode = .embed
  ) async throws(LaunchError) -> VerificationResult {
    switch await outcome(request, mode) {
    case .succeeded(let result): return result
    case .failed(let error): throw .failed(error)
    case .cancelled: throw .cancelled
    }
  }

  /// Shows the content, and calls one function of `callback` when it has an outcome.
  public func launch(
    _ request: VerificationRequest?, mode: Launch.Mode = .embed, callback: any SelfSdkCallback
  ) {
    Task {
      switch await outcome(request, mode) {
      case .succeeded(let result): callback.onSuccess(result)
      case .failed(let error): callback.onFailure(error)
      case .cancelled: callback.onCancelled()
      }
    }
  }

  /// Launches with the configured instance.
  ///
  /// - Throws: as the function of the instance; `LaunchError.failed` with the code `NOT_CONFIGURED` before `configure`.
  public static func launch(
    _ request: VerificationRequest?, mode: Launch.Mode = .embed
  ) async throws(LaunchError) -> VerificationResult {
    guard let shared else { throw .failed(notConfigured) }
    return try await shared.launch(request, mode: mode)
  }

  /// Launches with the configured instance.
  public static func launch(
    _ request: VerificationRequest?, mode: Launch.Mode = .embed, callback: any SelfSdkCallback
  ) {
    guard let shared else { return callback.onFailure(notConfigured) }
    shared.launch(request, mode: mode, callback: callback)
  }

  private static let notConfigured = VerificationError(
    code: "NOT_CONFIGURED", message: "Nothing is configured. Call SelfSdk.configure() first.", source: .host)

  private func outcome(_ request: VerificationRequest?, _ mode: Launch.Mode) async -> LaunchOutcome {
    guard let provider = registry.providers.webView else { return .failed(Self.notConfigured) }
    var request = request
    do {
      request = try await resolved(request)
    } catch let problem as EnterpriseResolver.Problem {
      configuration.onLoadProgress?(LoadProgress(.failed, LoadProblem(problem.code)))
      return .failed(problem.error)
    } catch {
      return .cancelled
    }
    var launch = Launch(
      mode: mode, verificationRequest: request, isDebug: configuration.isDebug,
      referenceId: configuration.referenceId, savesFiles: !configuration.isKiosk)
    // The identifier of the error reports of both sides.
    if launch.effectiveReferenceId == nil { launch.referenceId = UUID().uuidString.lowercased() }
    let session = LaunchSession(launch)
    let router = router.serving(LifecycleBridgeHandler(registry: registry, session: session))
    do {
      try await provider.show(configuration.content, for: session, router: router)
    } catch let error as VerificationError {
      return .failed(error)
    } catch {
      return .failed(
        VerificationError(code: "INVALID_CONFIGURATION", message: Failure(error).description, source: .host))
    }
    return await session.outcome
  }

  /// The request with the members that its enterprise session decides. Before the page is loaded, since the address of
  /// the page contains some of them.
  private func resolved(_ request: VerificationRequest?) async throws -> VerificationRequest? {
    guard let request, request.enterpriseSession != nil else { return request }
    configuration.onLoadProgress?(LoadProgress(.resolving))
    return try await sessions.request(request)
  }
}

/// What a launch shows, and how.
public struct LaunchConfiguration: Sendable {
  public var content: LaunchContent
  /// The title of the window.
  public var title = "Tessera"
  /// Whether the window fills the screen and cannot be left without Ctrl+Alt+Shift+Q.
  public var isKiosk = false
  /// Whether the developer tools are available.
  public var isDebug = false
  /// A text for the error reports of this program and of the page, which receives it with its configuration. Without
  /// one, it is that of the request, or a new one.
  public var referenceId: String?
  /// Called with each stage of the load of the page.
  public var onLoadProgress: (@MainActor @Sendable (LoadProgress) -> Void)?
  /// What the content may do without asking the user. The lines of the grants file count, too.
  public var grants: [Grant] = []
  /// The grants file, which receives the user's answers; nil for the standard one.
  public var grantsFile: String?
  /// Where cookies and the data of pages are kept; nil to forget them when the window is closed.
  public var sessionFolder: String?
  /// Called if the page had to wait for a service of the desktop that does not answer, with a sentence about it.
  public var onWaiting: (@MainActor @Sendable (String) -> Void)?
  /// How an unattended kiosk goes on; nil for a window that somebody can close.
  package var unattended: UnattendedKiosk?

  public init(content: LaunchContent = .bundled(.verificationPage)) { self.content = content }
}

/// Receives the outcome of a launch: one function is called, once, on the main actor.
@MainActor
public protocol SelfSdkCallback {
  func onSuccess(_ result: VerificationResult)
  func onFailure(_ error: VerificationError)
  func onCancelled()
}

/// Why a launch has no result.
public enum LaunchError: Error, Sendable, Equatable {
  case cancelled
  case failed(VerificationError)
}

/// Shows launches in windows of WebKitGTK.
struct WindowProvider: WebViewProvider {
  let configuration: LaunchConfiguration

  init(_ configuration: LaunchConfiguration) { self.configuration = configuration }

  func show(_ content: LaunchContent, for session: LaunchSession, router: MessageRouter) async throws {
    try await showOnMainActor(content, session, router)
  }

  @MainActor
  private func showOnMainActor(
    _ content: LaunchContent, _ session: LaunchSession, _ router: MessageRouter
  ) async throws {
    do {
      try await MainLoop.requireRunning()
    } catch {
      throw VerificationError(code: "NO_MAIN_LOOP", message: error.description, source: .host)
    }
    do {
      try MainLoop.openDisplay()
    } catch {
      throw VerificationError(code: "NO_VIEW_CONTROLLER", message: error.description, source: .host)
    }
    let window = try LaunchWindow(content, session, router, configuration)
    await withTaskCancellationHandler {
      await window.run()
    } onCancel: {
      Task { @MainActor in window.cancel() }
    }
  }
}
