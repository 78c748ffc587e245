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
