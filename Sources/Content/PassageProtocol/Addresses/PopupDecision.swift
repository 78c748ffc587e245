/// What becomes of a page's `window.open` and of a link for another window (3.11).
package enum PopupDecision: Sendable, Equatable {
  /// A view of its own, over the window.
  case popup
  /// The address, in the visible view.
  case visibleView
  /// The address, in the view of the page that asked.
  case sameView
  /// Another program.
  case externally
  case refused

  /// No more popups are open at a time.
  package static let mostPopups = 8

  package static func decision(
    for address: String, openPopups: Int, signIn: SignInPages = .standard, external: ExternalAddresses = .standard
  ) -> PopupDecision {
    if address.isEmpty || address == "about:blank" { return openPopups < mostPopups ? .popup : .refused }
    if external.isForProgram(address) { return .externally }
    guard let web = WebAddress(address) else { return .refused }
    return signIn.contains(web) ? .visibleView : .sameView
  }
}
