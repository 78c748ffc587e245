import Glibc

/// The servers that are reached without the proxy: the list of `no_proxy`.
struct ProxyExceptions: Sendable {
  private let entries: [Entry]

  init(_ list: String) { entries = list.split { $0 == "," || $0 == " " }.compactMap { Entry(String($0)) } }

  func contains(_ address: HTTPSAddress) -> Bool {
    let host = Host(address.host)
    return entries.contains { ($0.port ?? address.port) == address.port && $0.contains(host) }
  }

  /// What stands between two commas.
  private struct Entry {
    enum Servers {
      case all
      case domain(String)
      /// The addresses whose first bits are those of an address.
      case network(IPAddress, bits: Int)
    }

    let servers: Servers
    /// nil for all.
    let port: Int?

    /// nil for a text that stands for no server.
    init?(_ text: String) {
      guard text != "*" else {
        self.servers = .all
        self.port = nil
        return
      }
      var name = text[...]
      var port: Int?
      // An address of IPv6 has several colons, and a port only after a bracket.
      if let colon = text.lastIndex(of: ":"),
        text.firstIndex(of: ":") == colon || text.hasPrefix("[") && text[..<colon].hasSuffix("]")
      {
        guard let number = UInt16(text[text.index(after: colon)...]) else { return nil }
        port = Int(number)
        name = text[..<colon]
      }
      let parts = name.split(separator: "/", omittingEmptySubsequences: false)
      switch (Host(String(parts[0])), parts.count) {
      case (.address(let address), 1): servers = .network(address, bits: address.bytes.count * 8)
      case (.address(let address), 2):
        guard let bits = UInt8(parts[1]), Int(bits) <= address.bytes.count * 8 else { return nil }
        servers = .network(address, bits: Int(bits))
      case (.name(let name), 1):
        let domain = name.hasPrefix(".") ? String(name.dropFirst()) : name
        guard !domain.isEmpty else { return nil }
        servers = .domain(domain)
      default: return nil
      }
      self.port = port
    }

    func contains(_ host: Host) -> Bool {
      switch (servers, host) {
      case (.all, _): true
      case (.domain(let domain), .name(let name)): name == domain || name.hasSuffix(".\(domain)")
      case (.network(let network, let bits), .address(let address)): address.hasPrefix(of: network, bits: bits)
      case (.domain, .address), (.network, .name): false
      }
    }
  }

  private enum Host {
    case address(IPAddress)
    /// In lower case, without a final dot.
    case name(String)

    init(_ text: String) {
      let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
      if let address = IPAddress(isBracketed ? String(text.dropFirst().dropLast()) : text) {
        self = .address(address)
      } else {
        self = .name((text.hasSuffix(".") ? String(text.dropLast()) : text).lowercased())
      }
    }
  }

  /// An address of IPv4 or IPv6: 4 or 16 bytes.
  private struct IPAddress {
    let bytes: [UInt8]

    init?(_ text: String) {
      var bytes = [UInt8](repeating: 0, count: 16)
      if inet_pton(AF_INET, text, &bytes) == 1 {
        self.bytes = Array(bytes.prefix(4))
      } else if inet_pton(AF_INET6, text, &bytes) == 1 {
        self.bytes = bytes
      } else {
        return nil
      }
    }

    /// Whether the first bits are those of another address of the same kind.
    func hasPrefix(of other: IPAddress, bits: Int) -> Bool {
      guard bytes.count == other.bytes.count else { return false }
      return bytes.indices.allSatisfy { index in
        let count = min(max(bits - index * 8, 0), 8)
        return (bytes[index] ^ other.bytes[index]) >> (8 - count) == 0
      }
    }
  }
}
