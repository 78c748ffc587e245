import FleetLab
import TesseraNATS
import TesseraThreads
import Testing

extension RealPrograms {
  /// Somebody else answers in the place of JetStream.
  @Suite("Answers that JetStream does not give")
  struct HostileAnswerTests {
    private static let texts = [
      "", "{", "[]", "null", "1", "\"text\"", "{}", "{\"error\":1}", "{\"error\":{}}", "{\"error\":{\"code\":\"x\"}}",
      "{\"error\":{\"err_code\":-1}}", "{\"error\":{\"err_code\":1e99}}",
      "{\"error\":{\"err_code\":99999999999999999999999}}", "{\"state\":{}}",
      "{\"state\":{\"messages\":-1,\"bytes\":0,\"first_seq\":0,\"last_seq\":0}}",
      "{\"state\":{\"messages\":1.5,\"bytes\":0,\"first_seq\":0,\"last_seq\":0}}",
      "{\"seq\":-1}", "{\"seq\":\"1\"}", "{\"seq\":18446744073709551615}",
      String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 100_000), "{\"seq\":1",
    ]

    private static func payload(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// Calls `body` with a connection on which every request of JetStream gets this answer.
    private func withAnswer(
      _ answer: Locked<NATSMessage>, _ body: (NATSConnection) async throws -> Void
    ) async throws {
      let servers = try await NATSServers.start()
      let (connection, hostile) = (try await servers.connect("asking"), try await servers.connect("hostile"))
      let subscriptions = try ["$JS.API.>", "lab.record.>", "$KV.>"].map { subject in
        try hostile.subscribe(subject) { message in
          var reply = answer.withLock { $0 }
          reply.subject = message.reply ?? "nowhere"
          try? hostile.publish(reply)
        }
      }
      try await hostile.flush(within: .seconds(60))
      try await body(connection)
      for subscription in subscriptions { subscription.cancel() }
      await hostile.close()
      await connection.close()
      await servers.stop()
    }

    @Test("Malformed answers are typed errors")
    func malformed() async throws {
      let current = Locked(NATSMessage("x", ""))
      try await withAnswer(current) { connection in
        let stream = JetStream(connection, timeout: .seconds(60))
        let configuration = StreamConfiguration(name: "LAB", subjects: ["lab.record.>"], replicas: 1)
        let bytes: [[UInt8]] = [[0xFF, 0xFE], [0], [UInt8](repeating: 0, count: 1 << 20)]
        for payload in Self.texts.map(Self.payload) + bytes {
          current.withLock { $0.payload = payload }
          let comment = Comment(rawValue: String(String(decoding: payload, as: UTF8.self).prefix(40)))
          await #expect(throws: NATSError.malformedAnswer, comment) { try await stream.stream("LAB") }
          await #expect(throws: NATSError.malformedAnswer, comment) {
            try await stream.createStream(configuration, within: .zero)
          }
          await #expect(throws: NATSError.malformedAnswer, comment) { try await stream.publish("lab.record.a", []) }
          await #expect(throws: NATSError.malformedAnswer, comment) {
            try await stream.lastMessage(of: "lab.record.a", in: "LAB")
          }
          await #expect(throws: NATSError.malformedAnswer, comment) { try await stream.messages(in: "LAB") }
        }
      }
    }

    @Test("An error number is kept, and nothing else of the error is")
    func errorNumber() async throws {
      let text = "{\"error\":{\"code\":400,\"err_code\":12345,\"description\":\"anything\"}}"
      try await withAnswer(Locked(NATSMessage("x", text))) { connection in
        let error = await #expect(throws: NATSError.refusedByJetStream(12_345)) {
          try await JetStream(connection).stream("LAB")
        }
        #expect(error.map { "\($0.failure)" }?.contains("anything") == false)
      }
    }

    @Test("A stream that does not move on ends the page")
    func standstill() async throws {
      let headers: NATSHeaders = [("Nats-Subject", "lab.record.a"), ("Nats-Sequence", "5")]
      try await withAnswer(Locked(NATSMessage(subject: "x", headers: headers, payload: [1]))) { connection in
        let stream = JetStream(connection, timeout: .seconds(60))
        await #expect(throws: NATSError.malformedAnswer) { try await stream.messages(in: "LAB") }
        let page = try await stream.messages(in: "LAB", limit: 1)
        #expect(page.map(\.sequence) == [5])
      }
    }

    @Test("The last possible sequence number ends the page")
    func lastSequence() async throws {
      let headers: NATSHeaders = [("Nats-Subject", "lab.record.a"), ("Nats-Sequence", "\(UInt64.max)")]
      try await withAnswer(Locked(NATSMessage(subject: "x", headers: headers, payload: [1]))) { connection in
        await #expect(throws: NATSError.malformedAnswer) {
          try await JetStream(connection, timeout: .seconds(60)).messages(in: "LAB")
        }
      }
    }

    @Test("A list of subjects without end is cut off")
    func endlessSubjects() async throws {
      let names = (0..<5_000).map { "\"$KV.LAB.\($0)\":1" }.joined(separator: ",")
      let text = "{\"total\":9000000000000000000,\"state\":{\"subjects\":{\(names)}}}"
      try await withAnswer(Locked(NATSMessage("x", text))) { connection in
        await #expect(throws: NATSError.malformedAnswer) { try await KeyValueBucket(connection, name: "LAB").keys() }
      }
    }
  }
}
