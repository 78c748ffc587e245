internal import TesseraHTTPClient

/// The addresses of the server.
struct ServerAddresses: Sendable {
  /// Not a part of the configuration: the texts of a program come from one service.
  static let base = "https://rerune.io/api"
  /// The service has no value of its own for Linux yet. Of those that it has, this is the one whose payloads are JSON.
  static let platform = "ios"
  static let idHeader = "X-OTA-Publish-Id"

  let base: HTTPSAddress

  /// - Throws: `HTTPError` for an invalid base.
  static func standard() throws(HTTPError) -> ServerAddresses { ServerAddresses(base: try HTTPSAddress(base)) }

  func manifest() throws(HTTPError) -> HTTPSAddress {
    try HTTPSAddress("\(base.text)/sdk/translations/manifest?platform=\(Self.platform)")
  }

  /// The address of a locale's texts.
  ///
  /// - Throws: `HTTPError.notHTTPS` or `.invalidAddress` if the manifest has an address that is not used.
  func texts(_ entry: TranslationManifest.Entry) throws(HTTPError) -> HTTPSAddress {
    guard let address = entry.address else {
      return try HTTPSAddress("\(base.text)/sdk/translations/\(Self.platform)/\(Self.percentEncoded(entry.name))")
    }
    if address.contains("://") { return try HTTPSAddress(address) }
    // A path belongs behind the base, whose own path it may repeat: `/sdk/x` and `/api/sdk/x` are the same.
    let path = address.drop { $0 == "/" }
    if address.hasPrefix("/"), path.hasPrefix("api/") { return try HTTPSAddress("/\(path)", relativeTo: base) }
    return try HTTPSAddress("\(base.text)/\(path)")
  }

  /// RFC 3986, 2.3: everything but unreserved characters is encoded.
  private static func percentEncoded(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        String(UnicodeScalar(byte))
      default: (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}
