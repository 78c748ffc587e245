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

/// What the server has asked of its clients over time. It is chosen by the request for the manifest: the newest one first; a
/// server that answers 400 or 404 does not know it, and is asked for the next one. The one that was answered is kept with the
/// manifest: no check asks for an older one after it, whose texts may be frozen.
enum ServerContract: String, Sendable, CaseIterable {
  /// Since July 2026 (SDK 0.11 to 1.7 for iOS): no platform; texts are records, at the address that the manifest has.
  case records
  /// April to July 2026 (SDK 0.4 to 0.10): texts are string catalogs.
  case catalogs = "ios_xcstrings"
  /// The first one: a JSON object of texts.
  case flat = "ios"

  /// The value of `platform` in the request for the manifest.
  var platform: String? { self == .records ? nil : rawValue }

  /// The order in which a server is asked.
  ///
  /// - Parameter known: the one that it has answered.
  static func order(_ known: ServerContract?) -> [ServerContract] {
    Array(allCases.prefix { $0 != known }) + [known].compactMap(\.self)
  }

  /// The statuses of a server that does not know the contract.
  static let unknownStatuses: Set = [400, 404]
}
