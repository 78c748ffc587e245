internal import TesseraCore
package import TesseraJSON

/// A request that the UI page asks for (`sendToBackend`, `sendToSession`).
package struct PageRequest: Sendable, Equatable {
  package enum Server: String, Sendable { case api, session }

  package var server: Server
  package var path: APIPath
  package var data: JSONValue
  /// By their names in lower case; only the permitted ones.
  package var headers: [String: String]

  private static let mostHeaders = 32
  private static let longestValue = 4_096

  init?(_ server: Server, path: JSONValue?, data: JSONValue?, headers: JSONValue?) {
    guard let path = path?.stringValue.flatMap({ APIPath($0) }) else { return nil }
    self.server = server
    self.path = path
    self.data = data ?? .null
    self.headers = Self.permitted(headers?.objectValue ?? [:])
  }

  /// The headers that a page may set. All others are left out: the token, what identifies the user or the host, what
  /// a proxy believes, and what frames a message (RFC 9110, 7.6.1).
  static func permitted(_ headers: JSONObject) -> [String: String] {
    var permitted: [String: String] = [:]
    for member in headers.members.prefix(mostHeaders) {
      let name = member.name.lowercased()
      guard let value = member.value.stringValue, isName(name), !isBlocked(name), value.utf8.count <= longestValue,
        value.utf8.allSatisfy({ 0x20...0x7E ~= $0 })
      else { continue }
      permitted[name] = value
    }
    return permitted
  }

  private static func isBlocked(_ name: String) -> Bool {
    ["cf-", "proxy-", "sec-", "x-client", "x-forwarded", "x-http-method", "x-method", "x-original", "x-rewrite"]
      .contains {
        name.hasPrefix($0)
      }
      || blocked.contains(name)
  }

  private static let blocked: Set<String> = [
    "authorization", "client-ip", "connection", "content-encoding", "content-length", "cookie", "cookie2", "expect",
    "forwarded",
    "host", "http2-settings", "keep-alive", "origin", "referer", "set-cookie", "te", "trailer", "transfer-encoding",
    "true-client-ip", "upgrade", "user-agent", "via", "x-host", "x-intent-token", "x-real-ip", "x-webview-user-agent",
  ]

  /// Whether the name has letters, digits and hyphens only. Many servers cannot tell other characters from a hyphen:
  /// `x_intent_token` would be the token.
  private static func isName(_ name: String) -> Bool {
    1...64 ~= name.utf8.count
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
      }
  }
}

/// The path of a request that a page asks for (Passage.md, rule 2). It leads nowhere but to the configured server, and
/// has no part that a server could read as another path.
package struct APIPath: Sendable, Equatable {
  package let text: String
  /// In bytes.
  package static let longest = 2_048

  /// - Returns: nil unless the path begins with exactly one `/`, consists of visible ASCII characters, and has neither
  ///   an empty part, `.` or `..` as a part, a backslash nor a fragment, also not in a percent-encoded form, be it
  ///   encoded twice.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.longest, text.hasPrefix("/"), text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
      !text.utf8.contains(UInt8(ascii: "#"))
    else { return nil }
    var path = String(text.prefix { $0 != "?" })
    var query = String(text.dropFirst(path.count))
    // What a server decodes once or twice must be harmless, too.
    for _ in 0..<3 {
      guard Self.isHarmless(path), !query.unicodeScalars.contains(where: Self.isControl),
        let decoded = path.percentDecoded, let decodedQuery = query.percentDecoded
      else { return nil }
      guard decoded != path || decodedQuery != query else { break }
      (path, query) = (decoded, decodedQuery)
    }
    // Encoded more than twice: nobody needs it.
    guard Self.isHarmless(path), path.percentDecoded == path else { return nil }
    self.text = text
  }

  private static func isHarmless(_ path: String) -> Bool {
    guard !path.contains("\\"), !path.contains("#"), !path.unicodeScalars.contains(where: isControl) else {
      return false
    }
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    // One empty part is the end of a path with a final slash.
    return parts.enumerated().allSatisfy { index, part in
      // A part with a `;` has parameters, which some servers cut off.
      let name = Substring(part.unicodeScalars.prefix { $0 != ";" })
      return name != "." && name != ".." && (!name.isEmpty || part.isEmpty && index == parts.count - 1)
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }
}
