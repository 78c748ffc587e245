/// The addresses that Passage opens outside of itself (Passage.md, rule 16).
package struct ExternalAddresses: Sendable, Equatable {
  /// The schemes of programs, in lower case.
  package var schemes: Set<String>
  /// Hosts of https whose pages open programs; all hosts below them, too.
  package var hosts: Set<String>

  package static let standard = ExternalAddresses(
    schemes: ["googlechrome", "googlechromes", "fb", "fbauth2", "twitter", "linkedin", "github"],
    hosts: ["app.link", "deep.link"])

  package init(schemes: Set<String>, hosts: Set<String>) {
    self.schemes = schemes
    self.hosts = hosts
  }

  /// Whether a page's window or link with this address is for another program.
  package func isForProgram(_ address: String) -> Bool {
    guard Self.isClean(address) else { return false }
    if let web = WebAddress(address) {
      return web.origin.scheme == .https && hosts.contains { web.host == $0 || web.host.hasSuffix("." + $0) }
    }
    return Self.scheme(of: address).map(schemes.contains) ?? false
  }

  /// Whether the UI page may open the address outside (`openLink`): web pages, mail, and what is for a program.
  package func mayOpen(_ address: String) -> Bool {
    Self.isClean(address)
      && (WebAddress(address) != nil || Self.scheme(of: address) == "mailto" || isForProgram(address))
  }

  private static func isClean(_ address: String) -> Bool {
    address.utf8.count <= WebAddress.longest && !address.unicodeScalars.contains(where: WebAddress.isSpaceOrControl)
  }

  /// The scheme in lower case (RFC 3986, 3.1); nil if there is none.
  private static func scheme(of address: String) -> String? {
    let name = address.prefix { $0 != ":" }
    guard name.endIndex < address.endIndex, 1...32 ~= name.utf8.count,
      name.utf8.allSatisfy({
        $0 < 0x80 && (Unicode.Scalar($0).properties.isAlphabetic || "0123456789+-.".utf8.contains($0))
      })
    else { return nil }
    return name.lowercased()
  }
}
