extension FleetServerConfiguration {
  /// The account of the workers, the streams and the administrator.
  package static let workersAccount = "CORE"

  /// The account of a desk.
  package static func account(ofDesk name: String) -> String { "DESK_\(name)" }

  func accounts() throws -> String {
    var settings = ServerSettings()
    settings.comment("Written by tessera fleet configure. After a change: nats-server --signal reload")
    try settings.set("system_account", "SYS")
    try settings.block("accounts") { accounts in
      try accounts.block("SYS") { try $0.blocks("users", [system]) { try $0.set("nkey", $1.text) } }
      try accounts.block(Self.workersAccount) { try core(&$0) }
      for desk in desks {
        try accounts.block(Self.account(ofDesk: desk.name)) { try account(of: desk, &$0) }
      }
    }
    return settings.text
  }

  // MARK: - Workers and streams

  private func core(_ account: inout ServerSettings) throws {
    try account.set("jetstream", "enabled")
    try account.blocks("users", [administratorPermissions] + workers.map(permissions)) { try $1.write(to: &$0) }
    try account.list("exports", desks.flatMap { desk in Self.subjectsTo(desk).map { (desk, $0) } }) { desk, subject in
      try Self.export(subject, to: Self.account(ofDesk: desk.name))
    }
    try account.list("imports", desks.flatMap { desk in subjectsFrom(desk).map { (desk, $0) } }) { desk, subject in
      try Self.import(subject, from: Self.account(ofDesk: desk.name))
    }
  }

  private var administratorPermissions: UserPermissions {
    UserPermissions(
      key: administrator,
      publish: ["$JS.API.>", "$JS.ACK.>", "$KV.\(TrustBucket.name).>", FleetSubject.ping],
      subscribe: [Self.inbox(Self.administratorName), TrustBucket.changes, "$JS.EVENT.ADVISORY.>"])
  }

  private func permissions(of worker: FleetUser) -> UserPermissions {
    let streams = ["KV_\(TrustBucket.name)", RecordStream.name].flatMap { stream in
      ["STREAM.INFO.\(stream)", "STREAM.MSG.GET.\(stream)", "DIRECT.GET.\(stream)", "DIRECT.GET.\(stream).>"]
    }
    return UserPermissions(
      key: worker.key,
      publish: [Self.inbox("*"), "tessera.relay.*.*", RecordStream.subject] + streams.map { "$JS.API.\($0)" },
      // A desk chooses the reply subject of its requests. No answer to a worker's own request is there.
      refused: workers.map { Self.inbox($0.name) },
      subscribe: [
        "\(FleetSubject.everyBegin) \(FleetSubject.inspectors)", "tessera.read.*.*", Self.inbox(worker.name),
        TrustBucket.changes, FleetSubject.ping,
      ])
  }

  // MARK: - A desk

  private func account(of desk: FleetUser, _ account: inout ServerSettings) throws {
    account.block("limits") {
      $0.set("max_connections", Self.deskConnections)
      $0.set("max_subscriptions", Self.deskSubscriptions)
    }
    let permissions = UserPermissions(
      key: desk.key, publish: [Self.reads(of: desk)], subscribe: Self.subjectsTo(desk),
      // A desk answers each relay request once. Some wait until the person has put the document back.
      responseExpiry: "3700s")
    try account.blocks("users", [permissions]) { try $1.write(to: &$0) }
    try account.list("exports", subjectsFrom(desk)) { try Self.export($0, to: Self.workersAccount) }
    try account.list("imports", Self.subjectsTo(desk)) { try Self.import($0, from: Self.workersAccount) }
  }

  private static func reads(of desk: FleetUser) -> String { "tessera.read.\(desk.name).*" }

  private static func inbox(_ name: String) -> String { "\(FleetSubject.inbox(name)).>" }

  /// What leads from the workers to a desk.
  private static func subjectsTo(_ desk: FleetUser) -> [String] {
    ["tessera.relay.\(desk.name).*", inbox(desk.name)]
  }

  /// What leads from a desk to the workers: its reads, and its answers to relay requests. It may publish to an inbox of a
  /// worker only as the answer to a request that it received, and only once.
  private func subjectsFrom(_ desk: FleetUser) -> [String] {
    [Self.reads(of: desk)] + workers.map { Self.inbox($0.name) }
  }

  // MARK: - Form

  private static func export(_ subject: String, to account: String) throws -> String {
    "{ stream: \(try quoted(subject)), accounts: [\(try quoted(account))] }"
  }

  private static func `import`(_ subject: String, from account: String) throws -> String {
    "{ stream: { account: \(try quoted(account)), subject: \(try quoted(subject)) } }"
  }

  private static func quoted(_ value: String) throws -> String { try ServerSettings.quoted(value, "accounts") }

  /// What a user may publish and subscribe to. Everything else is refused.
  private struct UserPermissions {
    let key: NKeyPublicKey
    let publish: [String]
    /// What it may not publish, although it is in `publish`.
    var refused: [String] = []
    let subscribe: [String]
    /// How long the user may answer a message that it received, once; nil if its answers are in `publish`.
    var responseExpiry: String?

    func write(to user: inout ServerSettings) throws {
      try user.set("nkey", key.text)
      try user.block("permissions") { permissions in
        try permissions.block("publish") {
          try $0.set("allow", publish)
          if !refused.isEmpty { try $0.set("deny", refused) }
        }
        try permissions.block("subscribe") { try $0.set("allow", subscribe) }
        if let responseExpiry {
          try permissions.block("allow_responses") {
            $0.set("max", 1)
            try $0.set("expires", responseExpiry)
          }
        }
      }
    }
  }
}
