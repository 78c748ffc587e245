import CTesseraWebKitGTK
import TesseraBridge
import TesseraCore
import TesseraWebContent

extension MediaRequest {
  /// Asks for the camera or the microphone. The answer holds until the page is left: another page asks again.
  func ask(from address: String, over window: ContentWindow) async {
    let origin = WebOrigin(url: address)?.canonical ?? address
    let devices = wantsCamera ? wantsMicrophone ? "the camera and the microphone" : "the camera" : "the microphone"
    let choice = await ChoiceDialog.ask(
      title: "Allow this?", message: "\(origin) wants to use \(devices).", choices: ["Refuse", "Allow"], over: window)
    answer(isAllowed: choice == 1)
  }
}

extension PermissionQuestion {
  /// What the page wants, as the end of a sentence that begins with its origin.
  private var wish: String {
    switch domain {
    case .nfc: "wants to read a document, with all its data, on the NFC reader."
    case .camera: "wants to read a document with the camera."
    case .biometrics: "wants to ask for your fingerprint."
    case .crypto: "wants to create keys on this computer and sign with them."
    case .secureStorage: "wants to keep secrets on this computer."
    case .documents: "wants to keep documents on this computer."
    case .haptic: "wants to make your controller rumble."
    case .custody: "wants to manage the custody of your keys."
    case .analytics, .i18n, .lifecycle, .navigation: "wants to use this window."
    }
  }

  /// Asks in a dialog of the desktop, outside the page's reach.
  @MainActor
  func ask(over window: ContentWindow) async -> PermissionAnswer {
    let choice = await ChoiceDialog.ask(
      title: "Allow this?", message: "\(origin) \(wish)", choices: ["Never", "Once", "Always"], over: window)
    return switch choice {
    case 0: .never
    case 1: .once
    case 2: .always
    default: .notNow
    }
  }
}
