internal import TesseraJSON

/// The accounts of a fleet in a NATS system: what their users may do, and what leads from one to another. The
/// configuration for NKEYs and the claims for JWTs are two forms of it.
struct FleetAccounts: Sendable {
  /// What a user may publish and subscribe to. Everything else is refused.
  struct Permissions: Sendable {
    let publish: [String]
    /// What it may not publish, although it is in `publish`.
    var refused: [String] = []
    /// Subjects, some with the queue group that it must join after a space.
    let subscribe: [String]
    /// How long the user may answer a message that it received, once; nil if its answers are in `publish`.
    var responseExpiry: Duration?
  }

  struct User: Sendable {
    let name: String
    let permissions: Permissions
  }

  /// A stream of messages to another account, or from it.
  struct Link: Sendable {
    let subject: String
    let account: String
  }

  struct Account: Sendable {
    let name: String
    let users: [User]
    let exports: [Link]
    let imports: [Link]
    /// The most connections, and the most subscriptions of each; nil for no limit.
    let limits: (connections: Int, subscriptions: Int)?
    /// Whether it has the streams.
    var hasStreams: Bool { limits == nil }
  }

  let desks: [String]
  let inspectors: [String]

  /// The account of the inspectors, and one for each desk.
  var all: [Account] { [core] + desks.map(account) }

  // MARK: - Inspectors and streams

  private var core: Account {
    Account(
      name: FleetServerConfiguration.inspectorsAccount, users: [administrator] + inspectors.map(inspector),
      exports: desks.flatMap { desk in Self.subjectsTo(desk).map { Self.link($0, desk) } },
      imports: desks.flatMap { desk in subjectsFrom(desk).map { Self.link($0, desk) } }, limits: nil)
  }

  private var administrator: User {
    User(
      name: FleetServerConfiguration.administratorName,
      permissions: Permissions(
        publish: ["$JS.API.>", "$JS.ACK.>", "$KV.\(TrustBucket.name).>", FleetSubject.ping],
        subscribe: [
          Self.inbox(FleetServerConfiguration.administratorName), TrustBucket.changes, "$JS.EVENT.ADVISORY.>",
        ]))
  }

  private func inspector(_ name: String) -> User {
    let streams = ["KV_\(TrustBucket.name)", RecordStream.name].flatMap { stream in
      ["STREAM.INFO.\(stream)", "STREAM.MSG.GET.\(stream)", "DIRECT.GET.\(stream)", "DIRECT.GET.\(stream).>"]
    }
    return User(
      name: name,
      permissions: Permissions(
        publish: [Self.inbox("*"), "tessera.relay.*.*", RecordStream.subject, FleetSubject.serverState]
          + streams.map { "$JS.API.\($0)" },
        // A desk chooses the reply subject of its requests. No answer to an inspector's own request is there.
        refused: inspectors.map(Self.inbox),
        subscribe: [
          "\(FleetSubject.everyBegin) \(FleetSubject.inspectors)", "tessera.read.*.*", Self.inbox(name),
          TrustBucket.newVersions, FleetSubject.ping,
        ]))
  }

  // MARK: - A desk

  private func account(of desk: String) -> Account {
    let permissions = Permissions(
      publish: [Self.reads(of: desk)], subscribe: Self.subjectsTo(desk),
      // A desk answers each relay request once. Some wait until the user has put the document back.
      responseExpiry: FleetLimits().relayResponse)
    func link(_ subject: String) -> Link {
      Link(subject: subject, account: FleetServerConfiguration.inspectorsAccount)
    }
    return Account(
      name: FleetServerConfiguration.account(ofDesk: desk), users: [User(name: desk, permissions: permissions)],
      exports: subjectsFrom(desk).map(link), imports: Self.subjectsTo(desk).map(link),
      limits: (FleetServerConfiguration.deskConnections, FleetServerConfiguration.deskSubscriptions))
  }

  private static func link(_ subject: String, _ desk: String) -> Link {
    Link(subject: subject, account: FleetServerConfiguration.account(ofDesk: desk))
  }

  private static func reads(of desk: String) -> String { "tessera.read.\(desk).*" }

  private static func inbox(_ name: String) -> String { "\(FleetSubject.inbox(name)).>" }

  /// What leads from the inspectors to a desk.
  private static func subjectsTo(_ desk: String) -> [String] { ["tessera.relay.\(desk).*", inbox(desk)] }

  /// What leads from a desk to the inspectors: its reads, and its answers to relay requests. It may publish to an inbox of
  /// an inspector only as the answer to a request that it received, and only once.
  private func subjectsFrom(_ desk: String) -> [String] { [Self.reads(of: desk)] + inspectors.map(Self.inbox) }
}

/// The claims of a fleet whose users log in with JWTs (docs.nats.io, "JWT Authentication"; version 2): one object for each
/// account, with the members of the object `nats` in the JWT of the account, and in those of its users.
///
/// In an import the other account has its name, which the operator replaces by its public key.
extension FleetAccounts {
  var claims: JSONValue {
    var accounts = JSONObject()
    for account in all {
      var users = JSONObject()
      for user in account.users { users[user.name] = user.permissions.claims }
      accounts[account.name] = .object(["account": account.claims, "users": .object(users)])
    }
    return .object(accounts)
  }
}

extension FleetAccounts.Account {
  fileprivate var claims: JSONValue {
    let streams: JSONValue = .integer(hasStreams ? -1 : 0)
    return .object([
      "type": "account", "version": 2,
      "limits": .object([
        "conn": .integer(Int64(limits?.connections ?? -1)), "subs": .integer(Int64(limits?.subscriptions ?? -1)),
        "data": -1, "payload": -1, "leaf": 0, "imports": -1, "exports": -1, "wildcards": true,
        "disk_storage": streams, "mem_storage": 0, "streams": streams, "consumer": streams,
      ]),
      "exports": .array(exports.map { .object(["subject": .string($0.subject), "type": "stream"]) }),
      "imports": .array(
        imports.map {
          .object(["subject": .string($0.subject), "account": .string($0.account), "type": "stream"])
        }),
    ])
  }
}

extension FleetAccounts.Permissions {
  fileprivate var claims: JSONValue {
    func list(_ subjects: [String]) -> JSONValue { .array(subjects.map(JSONValue.string)) }
    var claims: JSONObject = [
      "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1,
      "pub": .object(refused.isEmpty ? ["allow": list(publish)] : ["allow": list(publish), "deny": list(refused)]),
      "sub": .object(["allow": list(subscribe)]),
    ]
    if let responseExpiry {
      // In nanoseconds.
      let expiry = Int64(responseExpiry / .nanoseconds(1))
      claims["resp"] = .object(["max": 1, "ttl": .integer(expiry)])
    }
    return .object(claims)
  }
}

extension FleetSubject {
  /// Whether an inspector may answer to this subject: whether it is an inbox of the desk. The server does not check the
  /// reply subject of a request: without this check an inspector would send its answer wherever a desk wants it.
  ///
  /// - Parameter desk: the desk in the subject of the request, which the server enforces.
  package static func isInbox(_ reply: String, of desk: DeskName) -> Bool {
    let prefix = inbox(desk.text) + "."
    guard reply.hasPrefix(prefix), reply.utf8.count <= 256 else { return false }
    return reply.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { token in
      !token.isEmpty
        && token.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "*") && $0 != UInt8(ascii: ">") }
    }
  }
}
