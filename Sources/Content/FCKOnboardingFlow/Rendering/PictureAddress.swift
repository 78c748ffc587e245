/// The addresses from which pictures are loaded.
enum PictureAddress {
  /// The address if it is `https` with a host and without anything that a parser could read differently.
  static func accepted(_ address: String) -> String? {
    let scheme = "https://"
    guard address.utf8.count <= FlowConfigLimits.addressLength, address.prefix(scheme.count).lowercased() == scheme
    else { return nil }
    let rest = address.dropFirst(scheme.count).utf8
    guard let first = rest.first, !"/?#:@".utf8.contains(first) else { return nil }
    // Spaces, controls, quotes, angle brackets, backslashes, and a name with a password.
    let isPlain = rest.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }
    let host = rest.prefix { !"/?#".utf8.contains($0) }
    return isPlain && !host.contains(UInt8(ascii: "@")) ? address : nil
  }
}
