import FleetLab
import TesseraNATS
import TesseraThreads
import TestSupport
import Testing

extension RealPrograms {
  @Suite("A cluster")
  struct ClusterTests {
    /// Publishes until the stream has acknowledged.
    private static func publish(_ number: Int, _ stream: JetStream) async throws {
      try await eventually(within: .seconds(240), every: .milliseconds(50)) {
        do {
          switch try await stream.publish("lab.record.\(number)", Array("\(number)".utf8), id: "id \(number)") {
          case .stored, .duplicate: return true
          case .occupied, .occupiedOrFull: throw NATSError.conflict
          }
        } catch let error as NATSError where [.timeout, .noResponders, .disconnected].contains(error) {
          return false
        }
      }
    }

    @Test("Each acknowledged message is stored exactly once, although the leader is killed meanwhile")
    func leaderDeath() async throws {
      let servers = try await NATSServers.start(3, hasJetStream: true)
      let connection = try await servers.connect()
      let stream = JetStream(connection, timeout: .seconds(5))
      var configuration = StreamConfiguration(name: "LAB", subjects: ["lab.record.>"], replicas: 3)
      configuration.duplicateWindow = .seconds(600)
      _ = try await stream.createStream(configuration, within: .seconds(120))
      let bucket = KeyValueBucket(connection, name: "LAB")
      #expect(try await bucket.create(replicas: 3))
      #expect(try await !bucket.create(replicas: nil), "it keeps its number of copies")

      let (count, publishers) = (600, 16)
      let (next, acknowledged, isLeaderDead) = (Locked(0), Locked(0), Locked(false))
      async let published: Void = withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<publishers {
          group.addTask {
            while true {
              let number = next.withLock { next in
                defer { next += 1 }
                return next
              }
              guard number < count else { return }
              // Each publisher keeps one message for the time after the leader's death, however late that is.
              try await eventually { number < count - publishers || isLeaderDead.withLock { $0 } }
              try await Self.publish(number, stream)
              acknowledged.withLock { $0 += 1 }
            }
          }
        }
        try await group.waitForAll()
      }
      try await eventually { acknowledged.withLock { $0 } >= 200 }
      let name = try #require(try await stream.stream("LAB")?.leader)
      let leader = try #require(servers.number(of: name))
      await servers.kill(leader)
      #expect(acknowledged.withLock { $0 } < count, "All messages were published before the death.")
      isLeaderDead.withLock { $0 = true }
      try await published
      #expect(acknowledged.withLock { $0 } == count)

      // The rest of the cluster has all of them once; so has the killed server when it is back.
      func state() async -> StreamState? { try? await stream.stream("LAB") }
      try await eventually { await state()?.messages == count }
      #expect(await state()?.leader != name)
      try await servers.restart(leader)
      try await eventually { await state()?.laggingReplicas == 0 }
      #expect(await state()?.messages == count)
      let subjects = try await stream.subjects(of: "LAB", matching: "lab.record.>")
      #expect(Set(subjects) == Set((0..<count).map { "lab.record.\($0)" }))
      await connection.close()
      await servers.stop()
    }
  }
}
