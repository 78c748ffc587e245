import Foundation
import TesseraCore
import TestSupport

@testable import TesseraFleet

/// A `nats-server` with the configuration that Tessera writes, for two desks and two inspectors.
final class AuthorityLab: Sendable {
  let port: Int
  let folder: FleetServerFolder
  private let reserved: ReservedPort
  private let temporary: TemporaryFolder
  private let program: RunningProgram
  /// nil if the keys of the users are in the servers' configuration.
  private let operators: AuthorityOperator?

  init(_ login: AuthorityLogin = .key) async throws {
    reserved = try ReservedPort()
    port = reserved.number
    temporary = try TemporaryFolder()
    folder = FleetServerFolder(path: temporary.file("fleet"))
    try Self.write(folder, port, temporary, desks: ["d1", "d2"])
    operators = login == .token ? try AuthorityOperator(folder) : nil
    program = try RunningProgram(
      URL(fileURLWithPath: "/usr/sbin/nats-server"), ["-c", "\(folder.path)/n1.conf"])
    guard await program.wait(until: { $0.errors.contains("Server is ready") || !$0.isRunning }), program.isRunning
    else {
      throw Failure(.serviceUnavailable, "nats-server does not run: \(program.errors)")
    }
  }

  deinit { program.send(signal: SIGKILL) }

  private static func write(
    _ folder: FleetServerFolder, _ port: Int, _ temporary: TemporaryFolder, desks: [String]
  ) throws {
    let server = FleetServer(
      name: "n1", port: UInt16(port), storeFolder: temporary.file("store"), maximumFileBytes: 64 << 20)
    var request = FleetServerFolder.Request(desks: desks, inspectors: ["i1", "i2"], servers: [server])
    request.writesClaims = true
    _ = try folder.write(request)
  }

  /// Configures these desks, and lets the running server read the files again.
  func reload(desks: [String]) async throws {
    try Self.write(folder, port, temporary, desks: desks)
    let before = Self.reloads(program)
    program.send(signal: SIGHUP)
    guard await program.wait(until: { Self.reloads($0) > before }) else {
      throw Failure(.serviceUnavailable, "nats-server does not reload: \(program.errors)")
    }
  }

  private static func reloads(_ program: RunningProgram) -> Int {
    program.errors.components(separatedBy: "Reloaded server configuration").count
  }

  func desk(_ name: String) throws -> RawClient { try client(name, folder.deskSeed(name)) }

  func inspector(_ name: String) throws -> RawClient { try client(name, folder.inspectorSeed(name)) }

  func administrator() throws -> RawClient {
    try client(FleetServerConfiguration.administratorName, folder.administratorSeed)
  }

  private func client(_ name: String, _ seed: String) throws -> RawClient {
    try RawClient(port, seed: seed, token: operators?.tokens[name])
  }
}

/// The connections of a fleet at work, and the state of its streams, which an attack must not change.
struct AuthorityWitnesses {
  static let manifest = "the manifest"
  let inspector: RawClient
  let otherInspector: RawClient
  let otherDesk: RawClient
  let administrator: RawClient

  init(_ lab: AuthorityLab) throws {
    administrator = try lab.administrator()
    try administrator.subscribe("tessera.inbox.admin.>")
    try administrator.subscribe("tessera.trust.>")
    let streams = [
      "TESSERA_RECORD": #""subjects":["tessera.record.*.*"]"#,
      "KV_TRUST": #""subjects":["$KV.TRUST.>"],"max_msgs_per_subject":1,"allow_rollup_hdrs":true,"allow_direct":true,"#
        + #""republish":{"src":"$KV.TRUST.>","dest":"tessera.trust.>"}"#,
    ]
    for (name, settings) in streams {
      let answer = try administrator.request(
        "$JS.API.STREAM.CREATE.\(name)", #"{"name":"\#(name)",\#(settings)}"#, inbox: "tessera.inbox.admin")
      guard !answer.payload.contains("\"error\"") else { throw Failure(.internalError, answer.payload) }
    }
    _ = try administrator.request("$KV.TRUST.manifest", Self.manifest, inbox: "tessera.inbox.admin")

    inspector = try lab.inspector("i1")
    for subject in ["tessera.read.*.*", "tessera.inbox.i1.>", "tessera.trust.manifest", "tessera.status.ping"] {
      try inspector.subscribe(subject)
    }
    otherInspector = try lab.inspector("i2")
    try otherInspector.subscribe("tessera.read.*.begin", queue: "inspectors")
    try otherInspector.subscribe("tessera.inbox.i2.>")
    otherDesk = try lab.desk("d2")
    try otherDesk.subscribe("tessera.inbox.d2.>")
    try otherDesk.subscribe("tessera.relay.d2.*")
    for client in [inspector, otherInspector, otherDesk, administrator] { try client.flush() }
  }

  /// What reached others than the attacker, after everything that its messages caused.
  ///
  /// Both inspectors answer each message with a reply subject that an inspector answers; careless ones answer each.
  ///
  /// - Returns: the attacker's own reads; and all other messages.
  func effects(carelessInspectors: Bool = false) throws -> (own: [RawClient.Message], others: [RawClient.Message]) {
    guard let attacker = DeskName("d1") else { throw Failure(.internalError, "no name") }
    var all: [RawClient.Message] = []
    for inspector in [inspector, otherInspector] {
      let received = try inspector.flush().messages
      for message in received {
        guard let reply = message.reply, carelessInspectors || FleetSubject.isInbox(reply, of: attacker) else {
          continue
        }
        try inspector.publish(reply, "answer of an inspector")
      }
      all += received
      // The answers have no effect on this inspector, either.
      all += try inspector.flush().messages
    }
    all += try otherInspector.flush().messages + inspector.flush().messages
    all += try otherDesk.flush().messages
    all += try administrator.flush().messages
    func isOwn(_ message: RawClient.Message) -> Bool {
      message.subject.hasPrefix("tessera.read.d1.") && message.subject.split(separator: ".").count == 4
    }
    return (all.filter(isOwn), all.filter { !isOwn($0) })
  }

  /// The subjects of the record and the certificates' manifest. Both streams have handled everything before: each stores
  /// one more message first, which is the last one then.
  func streams() throws -> (records: [String], manifest: String) {
    let inbox = "tessera.inbox.admin"
    let sentinel = "tessera.record.d2.\(UUID().uuidString)"
    let stored = try inspector.request(sentinel, "{}", inbox: "tessera.inbox.i1")
    guard stored.payload.contains("\"TESSERA_RECORD\"") else { throw Failure(.internalError, stored.payload) }
    _ = try administrator.request("$KV.TRUST.sentinel", "", inbox: inbox)
    let state = try administrator.request(
      "$JS.API.STREAM.INFO.TESSERA_RECORD", #"{"subjects_filter":">"}"#, inbox: inbox)
    guard let object = try JSONSerialization.jsonObject(with: Data(state.payload.utf8)) as? [String: Any],
      let subjects = (object["state"] as? [String: Any])?["subjects"] as? [String: Any]
    else { throw Failure(.internalError, state.payload) }
    let manifest = try administrator.request(
      "$JS.API.DIRECT.GET.KV_TRUST.$KV.TRUST.manifest", inbox: inbox)
    _ = try administrator.request("$JS.API.STREAM.PURGE.TESSERA_RECORD", inbox: inbox)
    for client in [inspector, otherInspector, administrator] { try client.flush() }
    return (subjects.keys.filter { $0 != sentinel }, manifest.payload)
  }
}
