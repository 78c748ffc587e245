internal import PassageProtocol
internal import TesseraCore
internal import TesseraWebContent

/// The addresses that the views show (`PassageServers.mayShow`).
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
  let servers: PassageServers

  /// The document of a view without a page. It has no rights.
  static let empty = "about:blank"

  func mayNavigate(to address: String) -> Bool { address == Self.empty || isShown(address) }

  func mayUseChannels(_ address: String) -> Bool {
    switch rights {
    case .origin(let origin): WebOrigin(url: address) == origin
    case .allInOwnWorld: isShown(address)
    case .none: false
    }
  }

  func mayAskForCameraAndMicrophone(_ address: String) -> Bool { false }

  private func isShown(_ address: String) -> Bool {
    WebOrigin(url: address).map { servers.mayShow($0) } ?? false
  }
}
