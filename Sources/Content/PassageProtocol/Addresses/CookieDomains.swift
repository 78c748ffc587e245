/// A list of domains, as cookies have them.
///
/// `example.org` means this host; `.example.org` means it and all hosts below it. The comparison is by labels:
/// `notexample.org` is not below `example.org`. Single labels (`org`) are refused, and such pairs of labels under which
/// everyone can register (`co.uk`) too, since they would mean the pages of everyone; `localhost` and addresses of hosts
/// are accepted as hosts.
package struct CookieDomains: Sendable, Equatable {
  private struct Entry: Sendable, Hashable {
    /// In lower case, without a leading dot.
    var name: String
    var includesSubdomains: Bool

    var text: String { includesSubdomains ? "." + name : name }

    func contains(_ host: String) -> Bool {
      host == name || includesSubdomains && host.hasSuffix("." + name) && !host.hasPrefix(".")
    }

    func contains(_ other: Entry) -> Bool {
      contains(other.name) && (includesSubdomains || !other.includesSubdomains)
    }
  }

  private var list: [Entry] = []
  /// The number of texts that are no domain, or one that is refused.
  package private(set) var refusedCount = 0

  /// A list has at most this many entries; the rest is refused.
  package static let mostEntries = 100

  /// The texts of the accepted domains, in lower case.
  package var entries: [String] { list.map(\.text) }
  package var isEmpty: Bool { list.isEmpty }

  package init(_ entries: [String]) {
    // A server may send very many, also of the same.
    let read = entries.prefix(Self.mostEntries * 10)
    refusedCount = entries.count - read.count
    for text in read {
      guard list.count < Self.mostEntries, let entry = Self.entry(text) else {
        refusedCount += 1
        continue
      }
      if !list.contains(entry) { list.append(entry) }
    }
  }

  /// The domains of a page whose configuration names none: its host, all below it, and the last two labels.
  package init(ofHost host: String) {
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    let hasParent = labels.count > 2 && !Self.isHostAddress(host)
    self.init([host, "." + host] + (hasParent ? [labels.suffix(2).joined(separator: ".")] : []))
    refusedCount = 0
  }

  /// Whether a page of this host is meant.
  package func contains(host: String) -> Bool {
    let host = host.lowercased()
    return list.contains { $0.contains(host) }
  }

  /// Whether a cookie of this domain is meant. A leading dot says that the cookie is also for hosts below it.
  package func contains(cookieDomain domain: String) -> Bool {
    contains(host: domain.hasPrefix(".") ? String(domain.dropFirst()) : domain)
  }

  /// Whether everything that the other list means is meant.
  package func contains(_ other: CookieDomains) -> Bool {
    other.list.allSatisfy { entry in list.contains { $0.contains(entry) } }
  }

  /// Both lists as one.
  package func union(_ other: CookieDomains) -> CookieDomains { CookieDomains(entries + other.entries) }

  // MARK: - Single domains

  private static func entry(_ text: String) -> Entry? {
    let includesSubdomains = text.hasPrefix(".")
    let name = (includesSubdomains ? text.dropFirst() : text[...]).lowercased()
    guard !isHostAddress(name), name != "localhost" else {
      return includesSubdomains ? nil : Entry(name: name, includesSubdomains: false)
    }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    guard name.utf8.count <= 253, labels.count >= 2, labels.allSatisfy(isLabel), !isPublicSuffix(labels) else {
      return nil
    }
    return Entry(name: name, includesSubdomains: includesSubdomains)
  }

  private static func isLabel(_ label: Substring) -> Bool {
    !label.isEmpty && label.utf8.count <= 63 && !label.hasPrefix("-") && !label.hasSuffix("-")
      && label.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
          UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  /// Whether the name is an IPv4 address, or an IPv6 address in brackets. No cookie is for hosts below one.
  private static func isHostAddress(_ name: String) -> Bool {
    if name.hasPrefix("[") {
      return name.hasSuffix("]") && name.utf8.count <= 48
        && name.dropFirst().dropLast().utf8.allSatisfy {
          $0.hexadecimalValue != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
        }
    }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { part in UInt8(part).map { String($0) == part } ?? false }
  }

  /// Whether everyone can register names below the name: a country's domain with a general second label. Tessera has no
  /// list of all such names; WebKit has one and stores no cookies for them.
  private static func isPublicSuffix(_ labels: [Substring]) -> Bool {
    labels.count == 2 && labels[1].utf8.count == 2
      && ["ac", "co", "com", "edu", "gob", "gov", "gv", "ne", "net", "nom", "or", "org"].contains(labels[0])
  }
}
