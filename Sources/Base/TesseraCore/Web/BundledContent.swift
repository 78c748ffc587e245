/// Content that is part of the program. Its address is `scheme://name/path`, and its origin is secure, so that pages can
/// use everything that a page over https can.
public struct BundledContent: Sendable {
  /// A file of the content.
  public struct File: Sendable, Equatable {
    /// For example `text/html`. Texts are UTF-8.
    public var mediaType: String
    public var bytes: [UInt8]

    public init(mediaType: String, bytes: [UInt8]) {
      self.mediaType = mediaType
      self.bytes = bytes
    }
  }

  /// The scheme of all bundled content.
  public static let scheme = "tessera-content"

  /// The name of the content, in lower case: the host of its addresses.
  public let name: String
  /// The files by their paths without a slash at the start, for example `index.html`.
  public let files: [String: File]
  /// The content security policy of every file (W3C CSP Level 3).
  public let securityPolicy: String

  public init(name: String, files: [String: File], securityPolicy: String) {
    self.name = name
    self.files = files
    self.securityPolicy = securityPolicy
  }

  public var origin: String { "\(Self.scheme)://\(name)" }

  /// - Parameters:
  ///   - path: the path of a file without a slash at the start.
  ///   - query: the query without its question mark; may be empty.
  public func address(_ path: String = "index.html", query: String = "") -> String {
    query.isEmpty ? "\(origin)/\(path)" : "\(origin)/\(path)?\(query)"
  }

  /// The origin of bundled content, from an address; nil for other addresses.
  public static func origin(of address: String) -> String? {
    let start = scheme + "://"
    guard address.hasPrefix(start) else { return nil }
    let name = address.dropFirst(start.count).prefix { !"/?#".contains($0) }
    let isName = name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains($0) }
    return name.isEmpty || !isName ? nil : start + name
  }
}
