import FleetLab
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraNATS

@Suite("What a server says of permissions")
struct PermissionViolationTests {
  @Test(
    "names what it refuses",
    arguments: [
      (#"Permissions Violation for Publish to "a.b""#, false, "a.b"),
      (#"permissions violation for publish to "$JS.API.INFO""#, false, "$JS.API.INFO"),
      (#"Permissions Violation for Subscription to "a.*""#, true, "a.*"),
      (#"Permissions Violation for Subscription to "a.>" using queue "q""#, true, "a.>"),
      ("Permissions Violation", false, nil), (#"Permissions Violation for Publish to """#, false, nil),
      ("Permissions Violation for Publish to \"a b\u{1B}[2J\"", false, nil),
      (#"Permissions Violation for Publish to "a"#, false, "a"), ("", false, nil),
    ] as [(String, Bool, String?)])
  func text(_ text: String, _ isSubscription: Bool, _ subject: String?) {
    let violation = PermissionViolation(text)
    #expect(violation.isSubscription == isSubscription && violation.subject == subject)
  }
}

extension RealPrograms {
  @Suite("Requests that a server refuses")
  struct RefusedRequestTests {
    private static func servers(_ user: LabUser, _ permissions: String) async throws -> NATSServers {
      try await NATSServers.start(
        configuration: "authorization { users: [ { nkey: \(user.publicKey), permissions { \(permissions) } } ] }")
    }

    @Test("end at once, and only they")
    func publications() async throws {
      let user = try LabUser()
      let servers = try await Self.servers(user, #"publish { deny: ["refused.>"] }"#)
      let connection = try await servers.connect(credentials: user.credentials)
      // It waits for an answer that nobody gives.
      let silent = try connection.subscribe("silent") { _ in }
      let waiting = Task { try await connection.request("silent", [], timeout: .seconds(600)) }
      try await eventually { connection.requests.count == 1 }
      for subject in ["refused.a", "refused.b", "refused.a"] {
        await #expect(throws: NATSError.notPermitted(subject: subject)) {
          try await connection.request(subject, [], timeout: .seconds(600))
        }
        await #expect(throws: NATSError.notPermitted(subject: subject)) {
          try await connection.requestMany(subject, [], within: .seconds(600))
        }
      }
      #expect(connection.requests.count == 1 && connection.refusal == nil)
      waiting.cancel()
      await #expect(throws: CancellationError.self) { try await waiting.value }
      silent.cancel()
      await connection.close()
      await servers.stop()
    }

    @Test("all end if no answer can arrive")
    func answers() async throws {
      let user = try LabUser()
      let servers = try await Self.servers(user, #"subscribe { deny: ["lab.inbox.>"] }"#)
      let connection = try await servers.connect(credentials: user.credentials)
      let error = await #expect(throws: NATSError.self) {
        try await connection.request("a", [], timeout: .seconds(600))
      }
      guard case .notPermitted(let subject?)? = error else { throw NATSError.timeout }
      #expect(subject.hasPrefix("lab.inbox.") && subject.hasSuffix(".*"))
      try await eventually { connection.refusal == error }
      // It came before anybody asked.
      let problems = Locked<[NATSConnectionProblem]>([])
      connection.onProblem { problem in problems.withLock { $0.append(problem) } }
      #expect(
        problems.withLock { $0.first }
          == .notPermitted(PermissionViolation(#"Permissions Violation for Subscription to "\#(subject)""#)))
      await #expect(throws: NATSError.notPermitted(subject: subject)) {
        try await connection.requestMany("b", [], within: .seconds(600))
      }
      #expect(connection.requests.count == 0)
      await connection.close()
      await servers.stop()
    }
  }
}
