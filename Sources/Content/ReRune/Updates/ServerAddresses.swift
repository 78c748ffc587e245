internal import TesseraCore
internal import TesseraHTTPClient

/// The addresses of the server.
struct ServerAddresses: Sendable {
  /// Not a part of the configuration: the texts of a program come from one service.
  static let base = "https://rerune.io/api"
  static let idHeader = "X-OTA-Publish-Id"

  let base: HTTPSAddress

  /// - Throws: `HTTPError` for an invalid base.
  static func standard() throws(HTTPError) -> ServerAddresses { ServerAddresses(base: try HTTPSAddress(base)) }

  func manifest(_ contract: ServerContract) throws(HTTPError) -> HTTPSAddress {
    try HTTPSAddress(
      "\(base.text)/sdk/translations/manifest" + (contract.platform.map { "?platform=\($0)" } ?? ""))
  }

  /// The address of a locale's texts.
  ///
  /// - Throws: `HTTPError.notHTTPS` or `.invalidAddress` if the manifest has an address that is not used.
  func texts(_ entry: TranslationManifest.Entry, _ contract: ServerContract) throws(HTTPError) -> HTTPSAddress {
    guard let address = entry.address else {
      // A manifest of records has addresses. One without is older, from a server that ignores the platform.
      let platform = contract.platform ?? (entry.minimumDeltaBase == nil ? ServerContract.flat : .catalogs).rawValue
      return try HTTPSAddress("\(base.text)/sdk/translations/\(platform)/\(PercentEncoding.component(entry.name))")
    }
    if address.contains("://") { return try HTTPSAddress(address) }
    // A path belongs behind the base, whose own path it may repeat: `/sdk/x` and `/api/sdk/x` are the same.
    let path = address.drop { $0 == "/" }
    if address.hasPrefix("/"), path.hasPrefix("api/") { return try HTTPSAddress("/\(path)", relativeTo: base) }
    return try HTTPSAddress("\(base.text)/\(path)")
  }

  /// An address with further parameters, which follow those that it has.
  static func adding(_ parameters: [(String, Int)], to address: HTTPSAddress) throws(HTTPError) -> HTTPSAddress {
    guard !parameters.isEmpty else { return address }
    let parts = address.text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let separator = parts[0].contains("?") ? "&" : "?"
    return try HTTPSAddress(
      parts[0] + separator + parameters.map { "\($0.0)=\($0.1)" }.joined(separator: "&"))
  }
}
