package import FoundationEssentials
import TesseraBridge
import TesseraEncryptedStorage
package import TesseraHTTPClient
import TesseraLinuxProviders

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
