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
      // A desk answers each relay request once. Some wait until the person has put the document back.
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
