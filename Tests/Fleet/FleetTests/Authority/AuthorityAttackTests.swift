import Foundation
import TesseraBridge
import TesseraCore
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  /// A desk whose key was stolen, against the configuration that Tessera writes, and against the claims for JWTs.
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
      "tessera.record.d1.r", "tessera.record.d2.r", "tessera.inbox.d2.r", "tessera.inbox.d1.r", "tessera.inbox.i1.r",
      "tessera.inbox.admin.r", "tessera.trust.manifest", "tessera.status.ping", "$KV.TRUST.manifest", "$KV.TRUST.other",
      "$JS.API.INFO", "$JS.API.STREAM.LIST", "$JS.API.STREAM.INFO.KV_TRUST", "$JS.API.STREAM.DELETE.TESSERA_RECORD",
      "$JS.API.STREAM.PURGE.KV_TRUST", "$JS.API.STREAM.MSG.GET.TESSERA_RECORD",
      "$JS.API.DIRECT.GET.KV_TRUST.$KV.TRUST.manifest", "$JS.API.CONSUMER.CREATE.TESSERA_RECORD",
      "$SYS.REQ.SERVER.PING",
      "$SYS.REQ.ACCOUNT.CORE.CONNZ", "$SYS.REQ.USER.INFO", "$SYS.REQ.ACCOUNT.PING.STATZ", "$SYS.REQ.CLAIMS.UPDATE",
      "_R_.a.b", "_INBOX.a", "$SRV.PING", "x",
    ]

    static let foreignReplies = [
      "$KV.TRUST.manifest", "$JS.API.STREAM.DELETE.TESSERA_RECORD", "$JS.API.STREAM.PURGE.KV_TRUST", "$JS.ACK.x",
      "tessera.record.d1.r", "tessera.record.d2.r", "tessera.read.d2.begin", "tessera.read.d1.begin",
      "tessera.relay.d2.s", "tessera.relay.d1.s", "tessera.inbox.d2.r", "tessera.inbox.i1.r", "tessera.inbox.admin.r",
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

    @Test("No message of a desk has an effect outside its own reads", arguments: AuthorityLogin.allCases)
    func publications(login: AuthorityLogin) async throws {
      let lab = try await AuthorityLab(login)
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
      try witnesses.inspector.publish("tessera.record.d2.r", "{}", reply: "tessera.inbox.i1.r")
      try witnesses.administrator.publish("$KV.TRUST.manifest", "another", reply: "tessera.inbox.admin.r")
      try witnesses.administrator.publish("tessera.status.ping", reply: "tessera.inbox.admin.p")
      _ = try witnesses.administrator.message { $0.subject == "tessera.inbox.admin.r" }
      #expect(try witnesses.effects().others.map(\.subject).contains("tessera.status.ping"))
      let streams = try witnesses.streams()
      #expect(streams.records == ["tessera.record.d2.r"] && streams.manifest == "another")
    }

    /// A reply subject with a wildcard ends nats-server 2.9 if a service import keeps it.
    @Test(
      "Even if inspectors answered anywhere, no desk could reach the streams, the inspectors or the server's life by them",
      arguments: AuthorityLogin.allCases)
    func carelessInspectors(login: AuthorityLogin) async throws {
      let lab = try await AuthorityLab(login)
      let witnesses = try AuthorityWitnesses(lab)
      let desk = try lab.desk("d1")
      // What two inspectors may publish for their work, and where nobody believes it: both ends know a random subject.
      let reachable = ["tessera.relay.d2.s", "tessera.inbox.d2.r", "tessera.inbox.admin.r"]
      for reply in Self.foreignReplies where !Self.refusedReplies.contains(reply) {
        try desk.publish("tessera.read.d1.begin", "an attack", reply: reply)
        #expect(try desk.flush().errors == [], "\(reply)")
        let others = try witnesses.effects(carelessInspectors: true).others
        #expect(others.isEmpty || reachable.contains(reply), "\(reply): \(others)")
        guard !reply.hasPrefix("tessera.record") else {
          // A careless inspector may publish records.
          _ = try witnesses.streams()
          continue
        }
        let streams = try witnesses.streams()
        #expect(streams.records == [] && streams.manifest == AuthorityWitnesses.manifest, "\(reply)")
      }
      #expect(try witnesses.read(of: witnesses.otherDesk).subject == "tessera.read.d2.begin")
    }

    @Test(
      "An inspector answers in an inbox of the desk, and nowhere else",
      arguments: [
        ("tessera.inbox.d1.a", true), ("tessera.inbox.d1.a.b-C_9", true), ("tessera.inbox.d1", false),
        ("tessera.inbox.d1.", false), ("tessera.inbox.d1..a", false), ("tessera.inbox.d1.>", false),
        ("tessera.inbox.d1.a>", false), ("tessera.inbox.d1.*.a", false), ("tessera.inbox.d1.a b", false),
        ("tessera.inbox.d1.a\r\nPUB", false), ("tessera.inbox.d11.a", false), ("tessera.inbox.d2.a", false),
        ("Tessera.inbox.d1.a", false), ("tessera.inbox.d1.\(String(repeating: "a", count: 240))", false), ("", false),
      ])
    func replies(reply: String, isAnswered: Bool) throws {
      #expect(FleetSubject.isInbox(reply, of: try #require(DeskName("d1"))) == isAnswered)
    }

    @Test("Without an inspector a desk learns it at once", arguments: AuthorityLogin.allCases) func noInspector(
      login: AuthorityLogin
    ) async throws {
      let lab = try await AuthorityLab(login)
      let desk = try lab.desk("d1")
      try desk.subscribe("tessera.inbox.d1.>")
      let answer = try desk.request("tessera.read.d1.begin", inbox: "tessera.inbox.d1")
      #expect(answer.headers.hasPrefix("NATS/1.0 503"))
    }

    static let foreignSubscriptions = [
      ">", "*", "tessera.>", "tessera.*.*.*", "tessera.read.>", "tessera.read.*.*", "tessera.read.*.begin",
      "tessera.read.d2.*", "tessera.read.d1.begin", "tessera.relay.>", "tessera.relay.*.*", "tessera.relay.d2.*",
      "tessera.relay.d2.s", "tessera.record.>", "tessera.record.d1.*", "tessera.inbox.>", "tessera.inbox.*.>",
      "tessera.inbox.d2.>", "tessera.inbox.i1.>", "tessera.inbox.admin.>", "tessera.trust.>", "tessera.status.ping",
      "$KV.>", "$KV.TRUST.>", "$JS.>", "$JS.API.>", "$JS.EVENT.>", "$SYS.>", "_R_.>", "_INBOX.>", "_R_.*.*",
    ]

    @Test("A desk can subscribe to nothing but its own relay and inbox", arguments: AuthorityLogin.allCases)
    func subscriptions(login: AuthorityLogin) async throws {
      let lab = try await AuthorityLab(login)
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
      try witnesses.inspector.publish(try #require(read.reply), "a verdict for d2")
      try witnesses.inspector.publish("tessera.relay.d2.s", "a command for d2", reply: "tessera.inbox.i1.s")
      try witnesses.inspector.publish("tessera.record.d2.r", "{}", reply: "tessera.inbox.i1.r")
      try witnesses.administrator.publish("$KV.TRUST.manifest", "new", reply: "tessera.inbox.admin.r")
      try witnesses.administrator.publish("tessera.status.ping", reply: "tessera.inbox.admin.p")
      _ = try witnesses.administrator.message { $0.subject == "tessera.inbox.admin.r" }
      _ = try witnesses.inspector.message { $0.subject == "tessera.inbox.i1.r" }
      #expect(try witnesses.otherDesk.flush().messages.map(\.payload) == ["a verdict for d2", "a command for d2"])
      try witnesses.inspector.publish("tessera.relay.d1.s", "the sentinel", reply: "tessera.inbox.i1.s")
      try witnesses.inspector.flush()
      #expect(try desk.flush().messages.map(\.payload) == ["the sentinel"])
    }

    @Test(
      "A desk that knows a reply subject of others cannot answer in an inspector's or a desk's place",
      arguments: AuthorityLogin.allCases)
    func forgedAnswers(login: AuthorityLogin) async throws {
      let lab = try await AuthorityLab(login)
      let witnesses = try AuthorityWitnesses(lab)
      let desk = try lab.desk("d1")
      try desk.subscribe("tessera.relay.d1.*")
      // The answer of an inspector to another desk.
      let read = try witnesses.read(of: witnesses.otherDesk)
      let answer = try #require(read.reply)
      try desk.publish(answer, "a forged verdict")
      #expect(try desk.flush().errors.count == 1)
      #expect(try witnesses.otherDesk.flush().messages == [])
      try witnesses.inspector.publish(answer, "the verdict")
      try witnesses.inspector.flush()
      #expect(try witnesses.otherDesk.flush().messages.map(\.payload) == ["the verdict"])

      // The answer of another desk to an inspector.
      try witnesses.inspector.publish("tessera.relay.d2.s", "a command", reply: "tessera.inbox.i1.s")
      try witnesses.inspector.flush()
      let command = try #require(try witnesses.otherDesk.flush().messages.first)
      try desk.publish(try #require(command.reply), "a forged response")
      #expect(try desk.flush().errors.count == 1)
      #expect(try witnesses.inspector.flush().messages == [])
      // The desk itself answers once.
      for response in ["the response", "another"] {
        try witnesses.otherDesk.publish(try #require(command.reply), response)
      }
      #expect(try witnesses.otherDesk.flush().errors.count == 1)
      #expect(try witnesses.inspector.flush().messages.map(\.payload) == ["the response"])
    }

    @Test("An inspector knows the desk by the subject, whatever the desk writes", arguments: AuthorityLogin.allCases)
    func requestInformation(login: AuthorityLogin) async throws {
      let lab = try await AuthorityLab(login)
      let witnesses = try AuthorityWitnesses(lab)
      let desk = try lab.desk("d1")
      try desk.subscribe("tessera.relay.d1.*")
      try desk.publish(
        "tessera.read.d1.begin", "x", reply: "tessera.inbox.d1.r",
        headers: "Nats-Request-Info: {\"acc\":\"DESK_d2\"}\r\nNats-Subject: tessera.read.d2.begin")
      try desk.flush()
      #expect(try witnesses.inspector.flush().messages.map(\.subject) == ["tessera.read.d1.begin"])

      // A desk learns of an inspector only its name in the configuration: neither its key nor its address.
      try witnesses.inspector.publish("tessera.relay.d1.s", "a command", reply: "tessera.inbox.i1.s")
      try witnesses.inspector.flush()
      #expect(
        try desk.flush().messages == [
          RawClient.Message(subject: "tessera.relay.d1.s", reply: "tessera.inbox.i1.s", payload: "a command")
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

    @Test(
      "An inspector can neither change the certificates nor read as a desk nor take another inspector's answers",
      arguments: AuthorityLogin.allCases)
    func inspectors(login: AuthorityLogin) async throws {
      let lab = try await AuthorityLab(login)
      let witnesses = try AuthorityWitnesses(lab)
      let inspector = try lab.inspector("i2")
      for subject in [
        "$KV.TRUST.manifest", "tessera.read.d1.begin", "$JS.API.STREAM.DELETE.TESSERA_RECORD",
        "$JS.API.STREAM.PURGE.TESSERA_RECORD", "$JS.API.STREAM.UPDATE.KV_TRUST",
        "$JS.API.CONSUMER.CREATE.TESSERA_RECORD",
        "$JS.API.STREAM.MSG.DELETE.TESSERA_RECORD", "$SYS.REQ.SERVER.PING", "tessera.inbox.i1.r",
        "tessera.trust.manifest",
      ] {
        try inspector.publish(subject, "{}", reply: "tessera.inbox.i2.r")
        #expect(try inspector.flush().errors.count == 1, "\(subject)")
      }
      for (subject, queue) in [
        ("tessera.inbox.i1.>", nil), ("tessera.inbox.>", nil), ("tessera.relay.>", nil), ("tessera.record.>", nil),
        (">", nil), ("_R_.>", nil), ("tessera.read.*.begin", "others"), ("$KV.TRUST.>", nil),
        // Each part has up to 512 KiB, and would go to all inspectors.
        ("tessera.trust.>", nil), ("tessera.trust.*", nil), ("tessera.trust.part.x", nil),
        ("tessera.trust.part.>", nil),
      ] as [(String, String?)] {
        try inspector.subscribe(subject, queue: queue)
        #expect(try inspector.flush().errors.count == 1, "\(subject)")
      }
      #expect(try witnesses.streams().manifest == AuthorityWitnesses.manifest)
      // It may read the certificates.
      try inspector.subscribe("tessera.inbox.i2.>")
      let entry = try inspector.request("$JS.API.DIRECT.GET.KV_TRUST.$KV.TRUST.manifest", inbox: "tessera.inbox.i2")
      #expect(entry.payload == AuthorityWitnesses.manifest)
      // And ask its server for the time. A refused request would have no answer.
      try inspector.publish(FleetSubject.serverState)
      try #require(try inspector.flush().errors == [])
      let state = try inspector.request(FleetSubject.serverState, inbox: "tessera.inbox.i2")
      let server = try JSONValue(text: state.payload)["server"]
      #expect(server?["name"] == "n1" && server?["time"] != nil, "\(state.payload)")
      // Of a publication it learns the manifest, and receives no part.
      try inspector.subscribe("tessera.trust.manifest")
      #expect(try inspector.flush().errors == [])
      for key in ["part.x", "manifest"] {
        _ = try witnesses.administrator.request("$KV.TRUST.\(key)", "new", inbox: "tessera.inbox.admin")
      }
      let announced = try inspector.message { _ in true }
      #expect(announced.subject == "tessera.trust.manifest" && announced.payload == "new")
    }

    @Test("One more desk is configured while the others stay connected") func reload() async throws {
      let lab = try await AuthorityLab()
      let witnesses = try AuthorityWitnesses(lab)
      let desk = try lab.desk("d1")
      #expect(throws: (any Error).self) { try lab.desk("d3") }
      // A request that is under way, too.
      let read = try witnesses.read(of: witnesses.otherDesk)
      try await lab.reload(desks: ["d1", "d2", "d3"])
      try witnesses.inspector.publish(try #require(read.reply), "the verdict")
      try witnesses.inspector.flush()
      #expect(try witnesses.otherDesk.flush().messages.map(\.payload) == ["the verdict"])
      for client in [desk, try lab.desk("d3")] {
        let name = client === desk ? "d1" : "d3"
        try client.publish("tessera.read.\(name).begin", "x", reply: "tessera.inbox.\(name).r")
        #expect(try client.flush().errors == [])
        #expect(try witnesses.inspector.flush().messages.map(\.subject) == ["tessera.read.\(name).begin"])
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
}

extension AuthorityWitnesses {
  /// A read of desk `d2`, as the inspector receives it.
  fileprivate func read(of desk: RawClient) throws -> RawClient.Message {
    try desk.publish("tessera.read.d2.begin", "a read", reply: "tessera.inbox.d2.r")
    try desk.flush()
    try otherInspector.flush()
    return try inspector.message { $0.subject == "tessera.read.d2.begin" }
  }
}
