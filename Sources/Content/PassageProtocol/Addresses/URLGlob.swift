/// The pattern of an address that a session waits for (Passage.md, rule 10).
///
/// - With `*`, which stands for any characters or none, the whole address must match.
/// - Without a path (`https://shop.example` or `shop.example`), every page of that host matches.
/// - With a path, the address or the beginning of an address of the same origin matches; with the path `/` only pages
///   whose path is `/`.
package struct URLGlob: Sendable, Equatable {
  package let pattern: String
  /// No pattern is longer, in bytes; so matching a long address is quick.
  package static let longest = 1_024
  private static let mostStars = 16

  /// - Returns: nil for an empty pattern, and for one that is too long.
  package init?(_ pattern: String) {
    let stars = pattern.utf8.count { $0 == UInt8(ascii: "*") }
    guard !pattern.isEmpty, pattern.utf8.count <= Self.longest, stars <= Self.mostStars else { return nil }
    self.pattern = pattern
  }

  package func matches(_ address: WebAddress) -> Bool {
    let text = address.text
    if pattern == text { return true }
    if pattern.utf8.contains(UInt8(ascii: "*")) { return matchesGlob(address, text) }
    guard let wanted = WebAddress(pattern) else {
      // A bare host.
      return WebAddress("https://" + pattern)?.host == address.host && !pattern.contains { "/?#:".contains($0) }
    }
    if !hasPath { return wanted.rest.isEmpty && wanted.origin == address.origin }
    guard wanted.origin == address.origin else { return false }
    if wanted.path == "/", wanted.rest.isEmpty { return address.path == "/" }
    return Array((address.path + address.rest).utf8).starts(with: (wanted.path + wanted.rest).utf8)
  }

  private var hasPath: Bool {
    guard let start = pattern.firstRange(of: "://")?.upperBound else { return pattern.contains("/") }
    return pattern[start...].contains("/")
  }

  /// A star before the path stands for characters of the host only, and one behind it for characters behind the host:
  /// no host of another site matches because its path or query contains the rest of the pattern.
  private func matchesGlob(_ address: WebAddress, _ text: String) -> Bool {
    if pattern == "*" { return true }
    guard let scheme = pattern.firstRange(of: "://") else {
      // Without a scheme, for example `*.shop.example/done*`.
      return Self.matches(pattern[...], authority: Self.authority(address), behind: address.path + address.rest)
    }
    guard Self.isMatch(Array(pattern[..<scheme.lowerBound].utf8), Array(address.origin.scheme.rawValue.utf8)) else {
      return false
    }
    return Self.matches(
      pattern[scheme.upperBound...], authority: Self.authority(address), behind: address.path + address.rest)
  }

  private static func matches(_ pattern: Substring, authority: Substring, behind: String) -> Bool {
    let host = pattern.prefix { !"/?#".contains($0) }
    guard isMatch(Array(host.lowercased().utf8), Array(authority.utf8)) else { return false }
    let rest = pattern[host.endIndex...]
    // `https://shop.example*` has no path of its own.
    if rest.isEmpty { return host.hasSuffix("*") || behind == "/" }
    return isMatch(Array(rest.utf8), Array(behind.utf8))
  }

  /// The host, and the port if it is not that of the scheme.
  private static func authority(_ address: WebAddress) -> Substring {
    let text = address.origin.canonical
    return text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
  }

  /// Whether the whole text matches. A later star takes over from an earlier one, which never has to be tried again.
  private static func isMatch(_ pattern: [UInt8], _ text: [UInt8]) -> Bool {
    var (p, t) = (0, 0)
    var star: (pattern: Int, text: Int)?
    while t < text.count {
      if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
        star = (p, t)
        p += 1
      } else if p < pattern.count, pattern[p] == text[t] {
        p += 1
        t += 1
      } else if let last = star {
        p = last.pattern + 1
        t = last.text + 1
        star = (last.pattern, t)
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}

/// An address whose page ends the user's part (Passage.md, rule 10).
package struct SuccessURL: Sendable, Equatable {
  /// When the address is compared.
  package enum Moment: String, Sendable {
    /// When a navigation starts, is redirected, or its document begins.
    case navigationStart
    /// When a navigation ends, or the address changes without one.
    case navigationEnd
  }

  package var glob: URLGlob
  package var moment: Moment

  package init(glob: URLGlob, moment: Moment) {
    self.glob = glob
    self.moment = moment
  }
}
