import Foundation
import TesseraCore
import TestSupport

@testable import TesseraFleet

/// A `nats-server` with the configuration that Tessera writes, for two desks and two workers.
final class AuthorityLab: Sendable {
  let port: Int
  let folder: FleetServerFolder
  private let reserved: ReservedPort
  private let temporary: TemporaryFolder
  private let program: RunningProgram

  init() async throws {
    reserved = try ReservedPort()
    port = reserved.number
    temporary = try TemporaryFolder()
    folder = FleetServerFolder(path: temporary.file("fleet"))
    try Self.write(folder, port, temporary, desks: ["d1", "d2"])
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
    _ = try folder.write(.init(desks: desks, workers: ["w1", "w2"], servers: [server]))
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

  func desk(_ name: String) throws -> RawClient { try RawClient(port, seed: folder.deskSeed(name)) }

  func worker(_ name: String) throws -> RawClient { try RawClient(port, seed: folder.workerSeed(name)) }

  func administrator() throws -> RawClient { try RawClient(port, seed: folder.administratorSeed) }
}

/// The connections of a fleet at work, and the state of its streams, which an attack must not change.
struct AuthorityWitnesses {
  static let manifest = "the manifest"
  let worker: RawClient
  let otherWorker: RawClient
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

    worker = try lab.worker("w1")
    for subject in ["tessera.read.*.*", "tessera.inbox.w1.>", "tessera.trust.>", "tessera.status.ping"] {
      try worker.subscribe(subject)
    }
    otherWorker = try lab.worker("w2")
    try otherWorker.subscribe("tessera.read.*.begin", queue: "inspectors")
    try otherWorker.subscribe("tessera.inbox.w2.>")
    otherDesk = try lab.desk("d2")
    try otherDesk.subscribe("tessera.inbox.d2.>")
    try otherDesk.subscribe("tessera.relay.d2.*")
    for client in [worker, otherWorker, otherDesk, administrator] { try client.flush() }
  }

  /// What reached others than the attacker, after everything that its messages caused.
  ///
  /// Both workers answer each message with a reply subject that a worker answers; careless ones answer each.
  ///
  /// - Returns: the attacker's own reads; and all other messages.
  func effects(carelessWorkers: Bool = false) throws -> (own: [RawClient.Message], others: [RawClient.Message]) {
    guard let attacker = DeskName("d1") else { throw Failure(.internalError, "no name") }
    var all: [RawClient.Message] = []
    for worker in [worker, otherWorker] {
      let received = try worker.flush().messages
      for message in received {
        guard let reply = message.reply, carelessWorkers || FleetReply.isInbox(reply, of: attacker) else { continue }
        try worker.publish(reply, "answer of a worker")
      }
      all += received
      // The answers have no effect on this worker, either.
      all += try worker.flush().messages
    }
    all += try otherWorker.flush().messages + worker.flush().messages
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
    let stored = try worker.request(sentinel, "{}", inbox: "tessera.inbox.w1")
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
    for client in [worker, otherWorker, administrator] { try client.flush() }
    return (subjects.keys.filter { $0 != sentinel }, manifest.payload)
  }
}
