internal import TesseraCore
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
      return try HTTPSAddress("\(base.text)/sdk/translations/\(Self.platform)/\(PercentEncoding.component(entry.name))")
    }
    if address.contains("://") { return try HTTPSAddress(address) }
    // A path belongs behind the base, whose own path it may repeat: `/sdk/x` and `/api/sdk/x` are the same.
    let path = address.drop { $0 == "/" }
    if address.hasPrefix("/"), path.hasPrefix("api/") { return try HTTPSAddress("/\(path)", relativeTo: base) }
    return try HTTPSAddress("\(base.text)/\(path)")
  }
}
