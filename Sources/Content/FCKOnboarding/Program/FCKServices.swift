import FCKOnboardingClient
import FCKOnboardingFlow
import Foundation
import TesseraBridge
package import TesseraHTTPClient
import TesseraLinuxProviders

/// What FCKOnboarding uses of the system. Tests replace parts of it.
package struct FCKServices: Sendable {
  package var client: OnboardingClient
  /// Loads pictures.
  package var transport: any HTTPTransport
  package var haptics: any HapticProvider
  /// The memory of all pictures that are shown or kept, in bytes of pixels.
  package var pictureMemory = PictureBudget.standard
  /// How the user writes numbers.
  package var numberFormat = FlowNumberFormat(environment: ProcessInfo.processInfo.environment)

  package init(client: OnboardingClient, transport: any HTTPTransport, haptics: any HapticProvider) {
    self.client = client
    self.transport = transport
    self.haptics = haptics
  }

  /// Those of this system.
  package static func system() -> FCKServices {
    FCKServices(client: OnboardingClient(), transport: HTTPSClient(), haptics: EvdevHapticProvider())
  }
}
