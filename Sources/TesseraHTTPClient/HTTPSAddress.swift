#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An address with the scheme https, and without a user's name or password.
struct HTTPSAddress: Equatable {
  private let url: URL
  /// In lower case.
  let host: String
  private let port: Int

  var text: String { url.absoluteString }

  init(_ text: String) throws(HTTPDownloadError) {
    guard let url = Self.url(text, relativeTo: nil) else { throw .invalidAddress }
    try self.init(url)
  }

  private init(_ url: URL) throws(HTTPDownloadError) {
    guard url.scheme?.lowercased() == "https" else { throw .notHTTPS }
    guard let host = url.host(), !host.isEmpty, url.user() == nil, url.password() == nil else { throw .invalidAddress }
    let port = url.port ?? 443
    guard 1...0xFFFF ~= port else { throw .invalidAddress }
    self.url = url
    self.host = host.lowercased()
    self.port = port
  }

  /// - Parameter location: The header of the response, an absolute or a relative address (RFC 9110, 10.2.2).
  func redirected(to location: String?) throws(HTTPDownloadError) -> HTTPSAddress {
    guard let location, let target = Self.url(location, relativeTo: url) else { throw .redirect(.invalid) }
    guard target.scheme?.lowercased() == "https" else { throw .redirect(.notHTTPS) }
    guard let address = try? HTTPSAddress(target) else { throw .redirect(.invalid) }
    guard address.host == host, address.port == port else { throw .redirect(.otherHost(address.host)) }
    return address
  }

  private static func url(_ text: String, relativeTo base: URL?) -> URL? {
    // `URL` repairs spaces and control characters.
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return nil }
    return URL(string: text, relativeTo: base)?.absoluteURL
  }
}
