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

  /// What the file calls a host.
  private struct Address {
    var family: UInt16
    var bytes: [UInt8]
  }

  private let entries: [Entry]

  /// Chooses entries as libxcb and XauGetBestAuthByAddr of libXau do: the first one of each name.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file.
  ///   - display: For example `:7.0`, `host:7`, `127.0.0.1:7` or `[::1]:7`.
  init(_ bytes: [UInt8], display: String) {
    guard let colon = display.lastIndex(of: ":") else {
      entries = []
      return
    }
    let number = Array(display[display.index(after: colon)...].prefix { $0 != "." }.utf8)
    var reader = Reader(bytes)
    var all: [Entry] = []
    while let entry = reader.entry() {
      if entry.number.isEmpty || entry.number == number { all.append(entry) }
    }
    // A host without an address has only the entries for any.
    let addresses = Self.addresses(of: String(display[..<colon])) + [Address(family: Family.any, bytes: [])]
    entries = addresses.lazy.map { Self.entries(of: $0, in: all) }.first { !$0.isEmpty } ?? []
  }

  private static func entries(of address: Address, in all: [Entry]) -> [Entry] {
    var names: Set<[UInt8]> = []
    return all.filter { entry in
      let isOfAddress = entry.family == address.family && entry.address == address.bytes
      return (isOfAddress || entry.family == Family.any) && names.insert(entry.name).inserted
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

  /// What the file calls the host, in the order in which libxcb tries its addresses.
  private static func addresses(of host: String) -> [Address] {
    if ["", "unix", "localhost"].contains(host) { return thisMachine }
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let name = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [Address] = []
    var next = list
    while let information = next?.pointee {
      next = information.ai_next
      guard let raw = UnsafeRawPointer(information.ai_addr) else { continue }
      let bytes = UnsafeRawBufferPointer(start: raw, count: Int(information.ai_addrlen))
      switch information.ai_family {
      case AF_INET where bytes.count >= 8: addresses += Self.addresses(Family.ipv4, Array(bytes[4..<8]))
      case AF_INET6 where bytes.count >= 24: addresses += Self.addresses(Family.ipv6, Array(bytes[8..<24]))
      default: break
      }
    }
    return addresses
  }

  /// libxcb looks for the entry of this machine if the address is that of its loopback device.
  private static func addresses(_ family: UInt16, _ bytes: [UInt8]) -> [Address] {
    if bytes.starts(with: mapped), bytes.count == 16 { return addresses(Family.ipv4, Array(bytes.suffix(4))) }
    let isLoopback = [[127, 0, 0, 1], [UInt8](repeating: 0, count: 15) + [1]].contains(bytes)
    return (isLoopback ? thisMachine : []) + [Address(family: family, bytes: bytes)]
  }

  /// The prefix of IPv4 in IPv6 (RFC 4291, 2.5.5.2).
  private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

  private static var thisMachine: [Address] {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return [] }
    return [Address(family: Family.local, bytes: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })]
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
