internal import TesseraJSON

/// One line of the log of what was sent: when, what kind, to whom, about which domains, and how much. It has no value of
/// a cookie, no text of a page, no address beyond its domain.
package struct SentEntry: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    case configuration, commandResult, commandRecord, browserState, pageRequest, sessionRequest, socketEvent
  }

  package var time: UnixTime
  package var kind: Kind
  /// The host of the server.
  package var server: String
  /// The domains of the pages and cookies, sorted.
  package var domains: [String] = []
  package var cookies = 0
  package var localStorage = 0
  package var sessionStorage = 0
  /// In bytes, like all sizes.
  package var html = 0
  package var screenshot = 0
  /// Of everything that was sent.
  package var size = 0

  package init(_ kind: Kind, to server: String, at time: UnixTime) {
    self.kind = kind
    self.server = server
    self.time = time
  }

  /// Counts the page data of a result.
  package mutating func add(_ data: PageData) {
    cookies = data.cookies?.count ?? 0
    localStorage = data.localStorage?.count ?? 0
    sessionStorage = data.sessionStorage?.count ?? 0
    html = data.html?.utf8.count ?? 0
    screenshot = data.screenshot?.utf8.count ?? 0
    var domains = Set((data.cookies ?? []).map { $0.domain.lowercased() })
    if let host = data.url.flatMap({ WebAddress($0) })?.host { domains.insert(host) }
    self.domains = domains.sorted()
  }
}

// MARK: - Lines

extension SentEntry {
  /// JSON without a line break.
  package var line: String {
    var members: JSONObject = [
      "time": .string(time.textWithMilliseconds), "kind": .string(kind.rawValue), "server": .string(server),
      "size": .integer(Int64(size)),
    ]
    if !domains.isEmpty { members["domains"] = .array(domains.map(JSONValue.string)) }
    for (name, path) in Self.counts where self[keyPath: path] > 0 {
      members[name] = .integer(Int64(self[keyPath: path]))
    }
    return JSONValue.object(members).text
  }

  /// Reads what `line` writes.
  ///
  /// - Returns: nil for every other text.
  package init?(line: some StringProtocol) {
    guard line.utf8.count <= 64 << 10, let value = try? JSONValue(text: line),
      let time = value["time"]?.stringValue.flatMap(UnixTime.init(textWithMilliseconds:)),
      let kind = value["kind"]?.stringValue.flatMap(Kind.init), let server = value["server"]?.stringValue,
      case .integer(let size)? = value["size"], let size = Int(exactly: size)
    else { return nil }
    self.init(kind, to: server, at: time)
    self.size = size
    domains = value["domains"]?.texts ?? []
    for (name, path) in Self.counts {
      guard let number = value[name] else { continue }
      guard case .integer(let number) = number, let count = Int(exactly: number) else { return nil }
      self[keyPath: path] = count
    }
  }

  private static var counts: [(String, WritableKeyPath<SentEntry, Int>)] {
    [
      ("cookies", \.cookies), ("localStorage", \.localStorage), ("sessionStorage", \.sessionStorage),
      ("html", \.html), ("screenshot", \.screenshot),
    ]
  }
}
