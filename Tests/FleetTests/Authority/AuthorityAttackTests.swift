import Foundation
import TesseraCore
import TestSupport
import Testing

@testable import TesseraFleet

/// A desk whose key was stolen, against the configuration that Tessera writes.
@Suite("A hostile desk at the servers", .serialized) struct AuthorityAttackTests {
  /// What desk `d1` sends, and what of it is allowed.
  struct Attack: Sendable, CustomTestStringConvertible {
    var subject: String
    var reply: String?
    /// Whether the message is a read of `d1` itself, and only its reply subject an attack.
    var isOwnRead = false

    var testDescription: String { "\(subject) \(reply ?? "")" }
  }

  static let foreignSubjects = [
    "tessera.read.d2.begin", "tessera.read.d2.AAAAAAAAAAAAAAAAAAAAAA", "tessera.read.*.begin", "tessera.read.>",
    "tessera.read.d1.begin.x", "tessera.read.d1", "tessera.relay.d2.s", "tessera.relay.d1.s", "tessera.relay.*.s",
    "tessera.record.d1.r", "tessera.record.d2.r", "tessera.inbox.d2.r", "tessera.inbox.d1.r", "tessera.inbox.w1.r",
    "tessera.inbox.admin.r", "tessera.trust.manifest", "tessera.status.ping", "$KV.TRUST.manifest", "$KV.TRUST.other",
    "$JS.API.INFO", "$JS.API.STREAM.LIST", "$JS.API.STREAM.INFO.KV_TRUST", "$JS.API.STREAM.DELETE.TESSERA_RECORD",
    "$JS.API.STREAM.PURGE.KV_TRUST", "$JS.API.STREAM.MSG.GET.TESSERA_RECORD",
    "$JS.API.DIRECT.GET.KV_TRUST.$KV.TRUST.manifest", "$JS.API.CONSUMER.CREATE.TESSERA_RECORD", "$SYS.REQ.SERVER.PING",
    "$SYS.REQ.ACCOUNT.CORE.CONNZ", "$SYS.REQ.USER.INFO", "$SYS.REQ.CLAIMS.UPDATE", "_R_.a.b", "_INBOX.a", "$SRV.PING",
    "x",
  ]

  static let foreignReplies = [
    "$KV.TRUST.manifest", "$JS.API.STREAM.DELETE.TESSERA_RECORD", "$JS.API.STREAM.PURGE.KV_TRUST", "$JS.ACK.x",
    "tessera.record.d1.r", "tessera.record.d2.r", "tessera.read.d2.begin", "tessera.read.d1.begin",
    "tessera.relay.d2.s", "tessera.relay.d1.s", "tessera.inbox.d2.r", "tessera.inbox.w1.r", "tessera.inbox.admin.r",
    "tessera.trust.manifest", "tessera.status.ping", "$SYS.REQ.SERVER.PING", "_R_.a.b", ">", "*", "tessera.*.*.*",
    "tessera.inbox.d1.>", "tessera.inbox.d1.*", "tessera.inbox.d1.", "tessera.inbox.d1", "tessera.inbox.d1..r",
  ]
  /// The reply subjects that the server itself refuses.
  static let refusedReplies = ["_R_.a.b", "$JS.ACK.x"]

  static let attacks =
    foreignSubjects.map { Attack(subject: $0, reply: "tessera.inbox.d1.r") }
    + foreignSubjects.map { Attack(subject: $0) }
    + foreignReplies.map { Attack(subject: "tessera.read.d1.begin", reply: $0, isOwnRead: true) }
    + foreignReplies.map { Attack(subject: "tessera.read.d1.AAAAAAAAAAAAAAAAAAAAAA", reply: $0, isOwnRead: true) }

  @Test("No message of a desk has an effect outside its own reads") func publications() async throws {
    let lab = try await AuthorityLab()
    let witnesses = try AuthorityWitnesses(lab)
    let desk = try lab.desk("d1")
    try desk.subscribe("tessera.inbox.d1.>")
    #expect(try desk.flush().errors == [])
    for attack in Self.attacks {
      try desk.publish(attack.subject, "an attack", reply: attack.reply)
      let refused = try desk.flush()
      let isAccepted = attack.isOwnRead && !Self.refusedReplies.contains(attack.reply ?? "")
      #expect(refused.errors.isEmpty == isAccepted, "\(attack.testDescription)")
      let effects = try witnesses.effects()
      #expect(effects.others == [], "\(attack.testDescription)")
      // The plain subscription, and for a beginning the queue group, too.
      let count = !isAccepted ? 0 : attack.subject.hasSuffix("begin") ? 2 : 1
      #expect(effects.own.count == count, "\(attack.testDescription)")
      #expect(effects.own.allSatisfy { $0.payload == "an attack" })
      let streams = try witnesses.streams()
      #expect(streams.records == [], "\(attack.testDescription)")
      #expect(streams.manifest == AuthorityWitnesses.manifest, "\(attack.testDescription)")
      #expect(try desk.flush().messages == [], "\(attack.testDescription)")
    }
    // What the witnesses would see of an effect, they see of the others' own messages.
    let read = try witnesses.read(of: witnesses.otherDesk)
    #expect(read.subject == "tessera.read.d2.begin")
    try witnesses.worker.publish("tessera.record.d2.r", "{}", reply: "tessera.inbox.w1.r")
    try witnesses.administrator.publish("$KV.TRUST.manifest", "another", reply: "tessera.inbox.admin.r")
    try witnesses.administrator.publish("tessera.status.ping", reply: "tessera.inbox.admin.p")
    _ = try witnesses.administrator.message { $0.subject == "tessera.inbox.admin.r" }
    #expect(try witnesses.effects().others.map(\.subject).contains("tessera.status.ping"))
    let streams = try witnesses.streams()
    #expect(streams.records == ["tessera.record.d2.r"] && streams.manifest == "another")
  }

  /// A reply subject with a wildcard ends nats-server 2.9 if a service import keeps it.
  @Test("Even if workers answered anywhere, no desk could reach the streams, the workers or the server's life by them")
  func carelessWorkers() async throws {
    let lab = try await AuthorityLab()
    let witnesses = try AuthorityWitnesses(lab)
    let desk = try lab.desk("d1")
    // What two workers may publish for their work, and where nobody believes it: both ends know a random subject.
    let reachable = ["tessera.relay.d2.s", "tessera.inbox.d2.r", "tessera.inbox.admin.r"]
    for reply in Self.foreignReplies where !Self.refusedReplies.contains(reply) {
      try desk.publish("tessera.read.d1.begin", "an attack", reply: reply)
      #expect(try desk.flush().errors == [], "\(reply)")
      let others = try witnesses.effects(carelessWorkers: true).others
      #expect(others.isEmpty || reachable.contains(reply), "\(reply): \(others)")
      guard !reply.hasPrefix("tessera.record") else {
        // A careless worker may publish records.
        _ = try witnesses.streams()
        continue
      }
      let streams = try witnesses.streams()
      #expect(streams.records == [] && streams.manifest == AuthorityWitnesses.manifest, "\(reply)")
    }
    #expect(try witnesses.read(of: witnesses.otherDesk).subject == "tessera.read.d2.begin")
  }

  @Test(
    "A worker answers in an inbox of the desk, and nowhere else",
    arguments: [
      ("tessera.inbox.d1.a", true), ("tessera.inbox.d1.a.b-C_9", true), ("tessera.inbox.d1", false),
      ("tessera.inbox.d1.", false), ("tessera.inbox.d1..a", false), ("tessera.inbox.d1.>", false),
      ("tessera.inbox.d1.a>", false), ("tessera.inbox.d1.*.a", false), ("tessera.inbox.d1.a b", false),
      ("tessera.inbox.d1.a\r\nPUB", false), ("tessera.inbox.d11.a", false), ("tessera.inbox.d2.a", false),
      ("Tessera.inbox.d1.a", false), ("tessera.inbox.d1.\(String(repeating: "a", count: 240))", false), ("", false),
    ])
  func replies(reply: String, isAnswered: Bool) throws {
    #expect(FleetReply.isInbox(reply, of: try #require(DeskName("d1"))) == isAnswered)
  }

  @Test("Without an inspector a desk learns it at once") func noInspector() async throws {
    let lab = try await AuthorityLab()
    let desk = try lab.desk("d1")
    try desk.subscribe("tessera.inbox.d1.>")
    let answer = try desk.request("tessera.read.d1.begin", inbox: "tessera.inbox.d1")
    #expect(answer.headers.hasPrefix("NATS/1.0 503"))
  }

  static let foreignSubscriptions = [
    ">", "*", "tessera.>", "tessera.*.*.*", "tessera.read.>", "tessera.read.*.*", "tessera.read.*.begin",
    "tessera.read.d2.*", "tessera.read.d1.begin", "tessera.relay.>", "tessera.relay.*.*", "tessera.relay.d2.*",
    "tessera.relay.d2.s", "tessera.record.>", "tessera.record.d1.*", "tessera.inbox.>", "tessera.inbox.*.>",
    "tessera.inbox.d2.>", "tessera.inbox.w1.>", "tessera.inbox.admin.>", "tessera.trust.>", "tessera.status.ping",
    "$KV.>", "$KV.TRUST.>", "$JS.>", "$JS.API.>", "$JS.EVENT.>", "$SYS.>", "_R_.>", "_INBOX.>", "_R_.*.*",
  ]

  @Test("A desk can subscribe to nothing but its own relay and inbox") func subscriptions() async throws {
    let lab = try await AuthorityLab()
    let witnesses = try AuthorityWitnesses(lab)
    let desk = try lab.desk("d1")
    for subject in Self.foreignSubscriptions {
      for queue in [nil, "inspectors", "x"] {
        try desk.subscribe(subject, queue: queue)
        let refused = try desk.flush().errors
        #expect(refused.count == 1 && refused[0].contains("Permissions Violation"), "\(subject) \(queue ?? "")")
      }
    }
    try desk.subscribe("tessera.inbox.d1.>")
    try desk.subscribe("tessera.relay.d1.*")
    #expect(try desk.flush().errors == [])

    // Everything that others say, and last a relay request for this desk.
    let read = try witnesses.read(of: witnesses.otherDesk)
    try witnesses.worker.publish(try #require(read.reply), "a verdict for d2")
    try witnesses.worker.publish("tessera.relay.d2.s", "a command for d2", reply: "tessera.inbox.w1.s")
    try witnesses.worker.publish("tessera.record.d2.r", "{}", reply: "tessera.inbox.w1.r")
    try witnesses.administrator.publish("$KV.TRUST.manifest", "new", reply: "tessera.inbox.admin.r")
    try witnesses.administrator.publish("tessera.status.ping", reply: "tessera.inbox.admin.p")
    _ = try witnesses.administrator.message { $0.subject == "tessera.inbox.admin.r" }
    _ = try witnesses.worker.message { $0.subject == "tessera.inbox.w1.r" }
    #expect(try witnesses.otherDesk.flush().messages.map(\.payload) == ["a verdict for d2", "a command for d2"])
    try witnesses.worker.publish("tessera.relay.d1.s", "the sentinel", reply: "tessera.inbox.w1.s")
    try witnesses.worker.flush()
    #expect(try desk.flush().messages.map(\.payload) == ["the sentinel"])
  }

  @Test("A desk that knows a reply subject of others cannot answer in a worker's or a desk's place")
  func forgedAnswers() async throws {
    let lab = try await AuthorityLab()
    let witnesses = try AuthorityWitnesses(lab)
    let desk = try lab.desk("d1")
    try desk.subscribe("tessera.relay.d1.*")
    // The answer of a worker to another desk.
    let read = try witnesses.read(of: witnesses.otherDesk)
    let answer = try #require(read.reply)
    try desk.publish(answer, "a forged verdict")
    #expect(try desk.flush().errors.count == 1)
    #expect(try witnesses.otherDesk.flush().messages == [])
    try witnesses.worker.publish(answer, "the verdict")
    try witnesses.worker.flush()
    #expect(try witnesses.otherDesk.flush().messages.map(\.payload) == ["the verdict"])

    // The answer of another desk to a worker.
    try witnesses.worker.publish("tessera.relay.d2.s", "a command", reply: "tessera.inbox.w1.s")
    try witnesses.worker.flush()
    let command = try #require(try witnesses.otherDesk.flush().messages.first)
    try desk.publish(try #require(command.reply), "a forged response")
    #expect(try desk.flush().errors.count == 1)
    #expect(try witnesses.worker.flush().messages == [])
    // The desk itself answers once.
    for response in ["the response", "another"] {
      try witnesses.otherDesk.publish(try #require(command.reply), response)
    }
    #expect(try witnesses.otherDesk.flush().errors.count == 1)
    #expect(try witnesses.worker.flush().messages.map(\.payload) == ["the response"])
  }

  @Test("A worker knows the desk by the subject, whatever the desk writes") func requestInformation() async throws {
    let lab = try await AuthorityLab()
    let witnesses = try AuthorityWitnesses(lab)
    let desk = try lab.desk("d1")
    try desk.subscribe("tessera.relay.d1.*")
    try desk.publish(
      "tessera.read.d1.begin", "x", reply: "tessera.inbox.d1.r",
      headers: "Nats-Request-Info: {\"acc\":\"DESK_d2\"}\r\nNats-Subject: tessera.read.d2.begin")
    try desk.flush()
    #expect(try witnesses.worker.flush().messages.map(\.subject) == ["tessera.read.d1.begin"])

    // A desk learns of a worker only its name in the configuration: neither its key nor its address.
    try witnesses.worker.publish("tessera.relay.d1.s", "a command", reply: "tessera.inbox.w1.s")
    try witnesses.worker.flush()
    #expect(
      try desk.flush().messages == [
        RawClient.Message(subject: "tessera.relay.d1.s", reply: "tessera.inbox.w1.s", payload: "a command")
      ])
  }

  @Test("Nobody logs in without a key of the configuration") func logins() async throws {
    let lab = try await AuthorityLab()
    let temporary = try TemporaryFolder()
    let stranger = temporary.file("stranger.nk")
    #expect(try NKeyFile(path: stranger).create(NKey()))
    let deskKey = try #require(try NKeyFile(path: lab.folder.deskSeed("d1")).read()).publicKey
    #expect(throws: Failure.self) { try RawClient(lab.port, seed: nil) }
    #expect(throws: Failure.self) { try RawClient(lab.port, seed: stranger) }
    #expect(throws: Failure.self) { try RawClient(lab.port, seed: stranger, statedKey: deskKey) }
    #expect(try lab.desk("d1").flush().errors == [])
  }

  @Test("A worker can neither change the certificates nor read as a desk nor take another worker's answers")
  func workers() async throws {
    let lab = try await AuthorityLab()
    let witnesses = try AuthorityWitnesses(lab)
    let worker = try lab.worker("w2")
    for subject in [
      "$KV.TRUST.manifest", "tessera.read.d1.begin", "$JS.API.STREAM.DELETE.TESSERA_RECORD",
      "$JS.API.STREAM.PURGE.TESSERA_RECORD", "$JS.API.STREAM.UPDATE.KV_TRUST", "$JS.API.CONSUMER.CREATE.TESSERA_RECORD",
      "$JS.API.STREAM.MSG.DELETE.TESSERA_RECORD", "$SYS.REQ.SERVER.PING", "tessera.inbox.w1.r",
      "tessera.trust.manifest",
    ] {
      try worker.publish(subject, "{}", reply: "tessera.inbox.w2.r")
      #expect(try worker.flush().errors.count == 1, "\(subject)")
    }
    for (subject, queue) in [
      ("tessera.inbox.w1.>", nil), ("tessera.inbox.>", nil), ("tessera.relay.>", nil), ("tessera.record.>", nil),
      (">", nil), ("_R_.>", nil), ("tessera.read.*.begin", "others"), ("$KV.TRUST.>", nil),
    ] as [(String, String?)] {
      try worker.subscribe(subject, queue: queue)
      #expect(try worker.flush().errors.count == 1, "\(subject)")
    }
    #expect(try witnesses.streams().manifest == AuthorityWitnesses.manifest)
    // It may read the certificates.
    try worker.subscribe("tessera.inbox.w2.>")
    let entry = try worker.request("$JS.API.DIRECT.GET.KV_TRUST.$KV.TRUST.manifest", inbox: "tessera.inbox.w2")
    #expect(entry.payload == AuthorityWitnesses.manifest)
  }

  @Test("One more desk is configured while the others stay connected") func reload() async throws {
    let lab = try await AuthorityLab()
    let witnesses = try AuthorityWitnesses(lab)
    let desk = try lab.desk("d1")
    #expect(throws: (any Error).self) { try lab.desk("d3") }
    // A request that is under way, too.
    let read = try witnesses.read(of: witnesses.otherDesk)
    try await lab.reload(desks: ["d1", "d2", "d3"])
    try witnesses.worker.publish(try #require(read.reply), "the verdict")
    try witnesses.worker.flush()
    #expect(try witnesses.otherDesk.flush().messages.map(\.payload) == ["the verdict"])
    for client in [desk, try lab.desk("d3")] {
      let name = client === desk ? "d1" : "d3"
      try client.publish("tessera.read.\(name).begin", "x", reply: "tessera.inbox.\(name).r")
      #expect(try client.flush().errors == [])
      #expect(try witnesses.worker.flush().messages.map(\.subject) == ["tessera.read.\(name).begin"])
    }
    // A desk that is removed loses its connection; the others keep theirs.
    try await lab.reload(desks: ["d2", "d3"])
    #expect(throws: Failure.self) {
      try desk.publish("tessera.read.d1.begin", "x")
      try desk.flush()
    }
    #expect(try witnesses.read(of: witnesses.otherDesk).subject == "tessera.read.d2.begin")
  }
}

extension AuthorityWitnesses {
  /// A read of desk `d2`, as the worker receives it.
  fileprivate func read(of desk: RawClient) throws -> RawClient.Message {
    try desk.publish("tessera.read.d2.begin", "a read", reply: "tessera.inbox.d2.r")
    try desk.flush()
    try otherWorker.flush()
    return try worker.message { $0.subject == "tessera.read.d2.begin" }
  }
}
