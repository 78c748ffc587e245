package import TesseraCore

/// An address of http or https, in its parts.
package struct WebAddress: Sendable, Hashable {
  package let origin: WebOrigin
  /// Begins with `/`.
  package let path: String
  /// With its `?`, and the fragment; empty if there is neither.
  package let rest: String

  /// No address is longer, in bytes.
  package static let longest = 8_192

  /// - Returns: nil for other schemes, for addresses with a user's name, a backslash before the path, white space or
  ///   control characters, and for those that are too long.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.longest, !text.unicodeScalars.contains(where: Self.isSpaceOrControl),
      let origin = WebOrigin(url: text), let start = text.firstRange(of: "://")?.upperBound
    else { return nil }
    let afterAuthority = text[start...].drop { !"/?#".contains($0) }
    let path = afterAuthority.prefix { !"?#".contains($0) }
    self.origin = origin
    self.path = path.isEmpty ? "/" : String(path)
    rest = String(afterAuthority[path.endIndex...])
  }

  /// The address with its host in lower case and without the default port.
  package var text: String { origin.canonical + path + rest }
  package var host: String { origin.host }

  /// Whether a server may have this address: https, or http on this machine, for tests.
  package var isSecure: Bool { origin.scheme == .https || origin.isLoopback }

  static func isSpaceOrControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || [.control, .format].contains(scalar.properties.generalCategory)
  }
}

/// What becomes of a page's `window.open` and of a link for another window (Passage.md, rule 16).
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
