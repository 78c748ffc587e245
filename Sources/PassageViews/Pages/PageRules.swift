internal import TesseraCore
internal import TesseraWebContent

/// The addresses that the views show: those of https, and of http on this machine.
struct PageRules: ContentRules {
  enum Rights: Sendable {
    /// Documents of this origin may use the channel: the UI page.
    case origin(WebOrigin)
    /// Every document has the channel, in the script world of the program: automation pages.
    case allInOwnWorld
    /// None has one: popups and sheets.
    case none
  }

  let rights: Rights

  /// The document of a view without a page. It has no rights.
  static let empty = "about:blank"

  func mayNavigate(to address: String) -> Bool { address == Self.empty || Self.isShown(address) }

  func mayUseChannels(_ address: String) -> Bool {
    switch rights {
    case .origin(let origin): WebOrigin(url: address) == origin
    case .allInOwnWorld: Self.isShown(address)
    case .none: false
    }
  }

  func mayAskForCameraAndMicrophone(_ address: String) -> Bool { false }

  static func isShown(_ address: String) -> Bool {
    guard let origin = WebOrigin(url: address) else { return false }
    return origin.scheme == .https || origin.isLoopback
  }
}
