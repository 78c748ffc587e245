import Glibc

/// The cookies of one display in a file of libXau: numbers with the higher byte first, and texts after their length.
///
///     family 2 | length 2, address | length 2, number | length 2, name | length 2, data
///
/// The other entries of the file lead to other displays, for example to those of other machines.
struct DisplayCookies {
  private struct Entry {
    var family: UInt16
    var address: [UInt8]
    var number: [UInt8]
    var name: [UInt8]
    var data: [UInt8]
  }

  /// IPv4, IPv6, this machine by its name, and any.
  private enum Family {
    static let (ipv4, ipv6, local, any): (UInt16, UInt16, UInt16, UInt16) = (0, 6, 256, 0xFFFF)
  }

  private var entries: [Entry] = []

  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - display: For example `:7.0` or `host:7`.
  init(_ bytes: [UInt8], display: String) {
    guard let colon = display.lastIndex(of: ":") else { return }
    let host = String(display[..<colon])
    let number = Array(display[display.index(after: colon)...].prefix { $0 != "." }.utf8)
    let addresses = Self.addresses(of: host)
    var reader = Reader(bytes)
    while let entry = reader.entry() {
      let isOfHost = entry.family == Family.any || addresses.contains { $0 == (entry.family, entry.address) }
      guard isOfHost, entry.number.isEmpty || entry.number == number,
        !entries.contains(where: { $0.name == entry.name })
      else { continue }
      entries.append(entry)
    }
  }

  /// A file with the entries, for any host: the sandbox has another name for this machine.
  var bytes: [UInt8] {
    entries.flatMap { entry in
      Self.bytes(Family.any)
        + [[], entry.number, entry.name, entry.data].flatMap { Self.bytes(UInt16(truncatingIfNeeded: $0.count)) + $0 }
    }
  }

  private static func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }

  // MARK: - Hosts

  /// What the file calls the host.
  private static func addresses(of host: String) -> [(family: UInt16, address: [UInt8])] {
    if ["", "unix", "localhost"].contains(host) {
      var name = [CChar](repeating: 0, count: 256)
      guard gethostname(&name, name.count - 1) == 0 else { return [] }
      return [(Family.local, name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })]
    }
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, nil, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [(family: UInt16, address: [UInt8])] = []
    var next = list
    while let information = next?.pointee {
      next = information.ai_next
      guard let raw = UnsafeRawPointer(information.ai_addr) else { continue }
      let bytes = UnsafeRawBufferPointer(start: raw, count: Int(information.ai_addrlen))
      switch information.ai_family {
      case AF_INET where bytes.count >= 8: addresses.append((Family.ipv4, Array(bytes[4..<8])))
      case AF_INET6 where bytes.count >= 24: addresses.append((Family.ipv6, Array(bytes[8..<24])))
      default: break
      }
    }
    return addresses
  }

  // MARK: - Reading

  private struct Reader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// - Returns: nil at the end, and if the rest is too short.
    mutating func entry() -> Entry? {
      guard let family = number(), let address = text(), let number = text(), let name = text(), let data = text()
      else { return nil }
      return Entry(family: family, address: address, number: number, name: name, data: data)
    }

    private mutating func number() -> UInt16? {
      guard rest.count >= 2 else { return nil }
      defer { rest = rest.dropFirst(2) }
      return rest.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
    }

    private mutating func text() -> [UInt8]? {
      guard let count = number(), rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(Int(count)) }
      return Array(rest.prefix(Int(count)))
    }
  }
}
