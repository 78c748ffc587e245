package import FoundationEssentials
import TesseraBridge
import TesseraEncryptedStorage
import TesseraGrants
package import TesseraHTTPClient
import TesseraLinuxProviders

/// What a program tells RampKit: where its flows are, who the program is, and what it wants to know.
///
/// No address is built in: without `manifestBase` and `customOnboardingURL` nothing is loaded, and without `functionsBase`
/// nothing is sent.
public struct RampKitConfig: Sendable {
  /// The application's identifier in the manifest's address and in events.
  public var appId: String?
  /// The key that `functionsBase` wants in the header `apikey`.
  public var apiKey: String?
  /// The identifier that the program itself has for the user.
  public var appUserID: String?
  /// Whether `configure` shows the flow when it is loaded.
  public var autoShowOnboarding = false
  /// The address of a flow, which is shown instead of what the manifest says.
  public var customOnboardingURL: String?
  /// The address below which `{appId}/manifest.json` is, with https.
  public var manifestBase: String?
  /// The address below which `app-users` and `app-user-events` receive what happens, with https. Nothing is sent without
  /// it, or without `appId`.
  public var functionsBase: String?
  /// Called when the user finished a flow, with what the page sent.
  public var onOnboardingFinished: (@MainActor @Sendable (JSONValue?) -> Void)?
  /// Called when a page wants a paywall, with what the page sent.
  public var onShowPaywall: (@MainActor @Sendable (JSONValue?) -> Void)?
  /// The name of a layer between the program and RampKit, which events carry.
  public var platformWrapper: String?
  /// Whether every step is logged. Values of variables never are.
  public var verboseLogging = false
  /// The name of the program. Its state is in the folder of this name below `$XDG_STATE_HOME`, and its entries in the
  /// encrypted store are its own.
  public var appName = "rampkit"
  /// The version of the program, for targets, pages and events.
  public var appVersion = "1.0.0"
  /// The build of the program, for targets, pages and events.
  public var buildNumber = "1"
  /// The identifier of the program's desktop file and AppStream component, for example `org.example.Desk`. Reviews need it.
  public var bundleId: String?
  /// What the pages of a flow may do with the hardware, by the flow's id. A flow that is not named can do nothing.
  public var hardware: [String: Set<Grant.Permission>] = [:]
  /// Whether the pages of every flow may ask for the texts of ReRune (`i18n.get`), and learn of new ones
  /// (`i18n.revision`).
  public var sharesTexts = false
  /// What answers the requests of flows that may use the hardware; nil for the devices of this system.
  public var router: MessageRouter?
  /// The language and the region of the texts, for example `de_AT`; nil for those of the environment.
  public var locale: String?

  /// The parameters of the mobile SDK; everything else is set afterwards.
  public init(
    appId: String? = nil, apiKey: String? = nil, autoShowOnboarding: Bool = false,
    onOnboardingFinished: (@MainActor @Sendable (JSONValue?) -> Void)? = nil,
    onShowPaywall: (@MainActor @Sendable (JSONValue?) -> Void)? = nil, customOnboardingURL: String? = nil,
    appUserID: String? = nil
  ) {
    self.appId = appId
    self.apiKey = apiKey
    self.autoShowOnboarding = autoShowOnboarding
    self.onOnboardingFinished = onOnboardingFinished
    self.onShowPaywall = onShowPaywall
    self.customOnboardingURL = customOnboardingURL
    self.appUserID = appUserID
  }
}

/// How a flow is shown.
public struct ShowOnboardingOptions: Sendable {
  /// Called instead of the configuration's function.
  public var onShowPaywall: (@MainActor @Sendable (JSONValue?) -> Void)?
  /// Whether the flow fills the screen; otherwise it has a window of its own.
  public var fillsScreen = false
  /// The title of the window.
  public var title: String?
  /// The size of the window, in pixels of the desktop.
  public var size: (width: Int32, height: Int32) = (420, 780)
  /// Whether pages behave as on a phone, for which flows were written: no selection, no context menu, no magnification.
  public var isHardened = true

  public init(onShowPaywall: (@MainActor @Sendable (JSONValue?) -> Void)? = nil) { self.onShowPaywall = onShowPaywall }
}

/// What RampKit uses of the system. Tests replace parts of it.
package struct RampKitServices: Sendable {
  package var transport: any HTTPTransport
  package var storage: any SecureStorageProvider
  package var haptics: any HapticProvider
  package var links: any LinkOpening
  package var notifications: any NotificationShowing
  package var environment: [String: String]
  package var now: @Sendable () -> Date

  package init(
    transport: any HTTPTransport, storage: any SecureStorageProvider, haptics: any HapticProvider,
    links: any LinkOpening, notifications: any NotificationShowing, environment: [String: String],
    now: @escaping @Sendable () -> Date
  ) {
    self.transport = transport
    self.storage = storage
    self.haptics = haptics
    self.links = links
    self.notifications = notifications
    self.environment = environment
    self.now = now
  }

  /// Those of this system.
  package static func system() -> RampKitServices {
    let bus = DesktopBus()
    return RampKitServices(
      transport: HTTPSClient(), storage: EncryptedStorageProvider(store: EncryptedStore()),
      haptics: EvdevHapticProvider(), links: DesktopLinks(bus: bus), notifications: DesktopNotifications(bus: bus),
      environment: ProcessInfo.processInfo.environment, now: { Date() })
  }
}
