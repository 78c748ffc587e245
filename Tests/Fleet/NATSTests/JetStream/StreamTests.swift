import FleetLab
import TesseraNATS
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Streams of JetStream")
  struct StreamTests {
    private func configuration(_ change: (inout StreamConfiguration) -> Void = { _ in }) -> StreamConfiguration {
      var configuration = StreamConfiguration(name: "LAB", subjects: ["lab.record.>"], replicas: 1)
      configuration.allowsDirect = true
      configuration.duplicateWindow = .seconds(120)
      change(&configuration)
      return configuration
    }

    /// Runs `body` with a server and a connection.
    private func withStream(_ body: (NATSConnection, JetStream) async throws -> Void) async throws {
      let servers = try await NATSServers.start(hasJetStream: true)
      let connection = try await servers.connect()
      try await body(connection, JetStream(connection, timeout: .seconds(60)))
      await connection.close()
      await servers.stop()
    }

    @Test("A stream is made, changed, read and deleted")
    func stream() async throws {
      try await withStream { _, stream in
        #expect(try await stream.stream("LAB") == nil)
        let state = try await stream.createStream(configuration())
        #expect(state.messages == 0 && state.replicas == 1 && state.leader == nil && state.laggingReplicas == 0)
        #expect(try await stream.publish("lab.record.a", [1, 2]) == .stored(sequence: 1))
        // Again, and with another limit.
        #expect(try await stream.createStream(configuration()).messages == 1)
        let changed = try await stream.createStream(configuration { $0.maximumBytes = 1 << 20 })
        #expect(changed.messages == 1 && changed.lastSequence == 1)
        await #expect(throws: NATSError.self) {
          try await stream.createStream(StreamConfiguration(name: "OTHER", subjects: ["lab.record.a"], replicas: 1))
        }
        try await stream.deleteStream("LAB")
        #expect(try await stream.stream("LAB") == nil)
        await #expect(throws: NATSError.streamMissing) { try await stream.deleteStream("LAB") }
        await #expect(throws: NATSError.noResponders) { try await stream.publish("lab.record.a", [1]) }
      }
    }

    @Test("A message with an id is stored once")
    func duplicate() async throws {
      try await withStream { _, stream in
        _ = try await stream.createStream(configuration())
        #expect(try await stream.publish("lab.record.a", [1], id: "one") == .stored(sequence: 1))
        #expect(try await stream.publish("lab.record.a", [1], id: "one") == .duplicate(sequence: 1))
        #expect(try await stream.publish("lab.record.a", [2], id: "two") == .stored(sequence: 2))
        #expect(try await stream.stream("LAB")?.messages == 2)
      }
    }

    @Test("A subject that must be empty is occupied by its first message")
    func occupied() async throws {
      try await withStream { _, stream in
        _ = try await stream.createStream(configuration())
        #expect(try await stream.publish("lab.record.a", [1], id: "1", expectingNone: true) == .stored(sequence: 1))
        #expect(try await stream.publish("lab.record.a", [2], id: "2", expectingNone: true) == .occupied)
        #expect(try await stream.publish("lab.record.a", [2], id: "3", lastSequence: 1) == .stored(sequence: 2))
        #expect(try await stream.publish("lab.record.a", [2], id: "4", lastSequence: 1) == .occupied)
        #expect(try await stream.publish("lab.record.b", [3], expectingNone: true) == .stored(sequence: 3))
        #expect(try await stream.lastMessage(of: "lab.record.a", in: "LAB")?.sequence == 2)
      }
    }

    @Test("A second message of a subject with one place is not stored")
    func discardPerSubject() async throws {
      try await withStream { _, stream in
        _ = try await stream.createStream(
          configuration {
            $0.maximumMessagesPerSubject = 1
            ($0.refusesNew, $0.refusesNewPerSubject) = (true, true)
          })
        #expect(try await stream.publish("lab.record.a", [1]) == .stored(sequence: 1))
        #expect(try await stream.publish("lab.record.a", [2]) == .occupiedOrFull)
        #expect(try await stream.lastMessage(of: "lab.record.a", in: "LAB")?.payload == [1])
        #expect(try await stream.publish("lab.record.b", [2]) == .stored(sequence: 2))
      }
    }

    @Test("A full stream refuses with a type of its own, and keeps what it has")
    func full() async throws {
      try await withStream { _, stream in
        _ = try await stream.createStream(
          configuration {
            $0.maximumBytes = 10_000
            $0.refusesNew = true
          })
        let payload = [UInt8](repeating: 1, count: 4_000)
        for number in 1...2 {
          #expect(try await stream.publish("lab.record.\(number)", payload) == .stored(sequence: UInt64(number)))
        }
        // The number of this error does not tell fullness from an occupied subject; the missing message does.
        #expect(try await stream.publish("lab.record.3", payload) == .occupiedOrFull)
        #expect(try await stream.lastMessage(of: "lab.record.3", in: "LAB") == nil)
        #expect(try await stream.stream("LAB")?.messages == 2)
      }
    }

    @Test("A server without space for a stream says that it is full")
    func noResources() async throws {
      // The server's own default is one folder for all users of the machine.
      let folder = try TemporaryFolder()
      let servers = try await NATSServers.start(
        configuration: "jetstream { store_dir: \"\(folder.file("store"))\", max_file: 1MB, max_mem: 1MB }")
      let connection = try await servers.connect()
      await #expect(throws: NATSError.streamFull) {
        try await JetStream(connection, timeout: .seconds(60))
          .createStream(configuration { $0.maximumBytes = 1 << 30 })
      }
      await connection.close()
      await servers.stop()
    }

    @Test("Messages are read in pages, by subject")
    func pages() async throws {
      try await withStream { _, stream in
        _ = try await stream.createStream(configuration())
        for number in 0..<25 {
          _ = try await stream.publish(
            "lab.record.\(number % 2).\(number)", [UInt8(number)], headers: [("Number", "\(number)")])
        }
        var (sequence, read, pages): (UInt64, [StoredMessage], Int) = (1, [], 0)
        while true {
          let page = try await stream.messages(in: "LAB", from: sequence, limit: 10)
          guard let last = page.last else { break }
          read += page
          pages += 1
          sequence = last.sequence + 1
        }
        #expect(pages == 3)
        #expect(read.map(\.payload) == (0..<25).map { [UInt8($0)] })
        #expect(read.map(\.sequence) == Array(1...25))
        #expect(read.allSatisfy { $0.headers["Number"] == "\($0.payload[0])" && $0.time.hasPrefix("20") })
        let odd = try await stream.messages(in: "LAB", matching: "lab.record.1.*", from: 10)
        #expect(odd.map { Int($0.payload[0]) } == stride(from: 9, to: 25, by: 2).map { $0 })
        #expect(try await stream.messages(in: "LAB", matching: "lab.record.5.*").isEmpty)
        #expect(try await stream.subjects(of: "LAB", matching: "lab.record.0.>").count == 13)
      }
    }

    @Test("A server without JetStream has no streams")
    func withoutJetStream() async throws {
      let servers = try await NATSServers.start()
      let connection = try await servers.connect()
      let stream = JetStream(connection, timeout: .seconds(60))
      await #expect(throws: NATSError.jetStreamMissing) { try await stream.stream("LAB") }
      await #expect(throws: NATSError.jetStreamMissing) {
        try await stream.createStream(configuration(), within: .seconds(600))
      }
      await connection.close()
      await servers.stop()
    }
  }
}
