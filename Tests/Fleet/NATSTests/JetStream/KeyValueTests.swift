import FleetLab
import TesseraNATS
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Key-value buckets")
  struct KeyValueTests {
    @Test("Values have revisions, which can be expected")
    func values() async throws {
      let servers = try await NATSServers.start(hasJetStream: true)
      let connection = try await servers.connect()
      let bucket = KeyValueBucket(connection, name: "LAB", timeout: .seconds(60))
      // The server is silent about a stream that does not exist, so this takes the time of a request.
      let missing = KeyValueBucket(connection, name: "LAB", timeout: .seconds(5))
      await #expect(throws: NATSError.bucketMissing) { try await missing.get("one") }
      await #expect(throws: NATSError.bucketMissing) { try await bucket.put("one", [1]) }
      await #expect(throws: NATSError.bucketMissing) { try await bucket.keys() }
      try await bucket.create(replicas: 1)
      try await bucket.create(replicas: 1)

      #expect(try await bucket.get("one") == nil)
      #expect(try await bucket.keys().isEmpty)
      #expect(try await bucket.put("one", [1]) == 1)
      #expect(try await bucket.put("two.part", [2]) == 2)
      #expect(try await bucket.put("one", []) == 3)
      let entry = try #require(try await bucket.get("one"))
      #expect(entry.value == [] && entry.revision == 3)
      #expect(try await bucket.keys().sorted() == ["one", "two.part"])

      #expect(try await bucket.put("one", [4], replacing: 3) == 4)
      await #expect(throws: NATSError.conflict) { try await bucket.put("one", [5], replacing: 3) }
      await #expect(throws: NATSError.conflict) { try await bucket.put("one", [5], replacing: 0) }
      #expect(try await bucket.put("three", [6], replacing: 0) == 5)
      #expect(try await bucket.get("one")?.value == [4])

      try await bucket.delete("one")
      try await bucket.delete("one")
      #expect(try await bucket.get("one") == nil)
      #expect(try await bucket.keys().sorted() == ["three", "two.part"])
      #expect(try await bucket.put("one", [7], replacing: 0) > 5)

      // Other clients leave a marker (nats-py 2.16.0, `KeyValue.delete`).
      for operation in ["DEL", "PURGE"] {
        try await connection.publishAndWait(
          NATSMessage(subject: "$KV.LAB.one", headers: [("KV-Operation", operation)], payload: []))
        try await eventually { try await bucket.get("one") == nil }
        let revision = try await bucket.put("one", [8], replacing: 0)
        #expect(try await bucket.get("one")?.revision == revision)
        await #expect(throws: NATSError.conflict) { try await bucket.put("one", [9], replacing: 0) }
      }
      await connection.close()
      await servers.stop()
    }

    @Test("Each change is published again, with its revision")
    func republication() async throws {
      let servers = try await NATSServers.start(hasJetStream: true)
      let connection = try await servers.connect()
      let bucket = KeyValueBucket(connection, name: "LAB", timeout: .seconds(60))
      try await bucket.create(replicas: 1, republishTo: "lab.changes.>")
      let log = MessageLog()
      let subscription = try connection.subscribe("lab.changes.>") { log.add($0) }
      try await connection.flush(within: .seconds(60))
      let revision = try await bucket.put("one", [1])
      try await eventually { log.count == 1 }
      #expect(log.messages[0].payload == [1])
      #expect(log.messages[0].headers["Nats-Sequence"] == "\(revision)")
      #expect(log.messages[0].headers["Nats-Subject"] == "$KV.LAB.one")
      subscription.cancel()
      await connection.close()
      await servers.stop()
    }

    @Test("A key that cannot be a subject is refused", arguments: ["", "a b", "a.*", ">", "a\r\nPUB b 0", "a..b"])
    func invalidKey(key: String) async throws {
      let servers = try await NATSServers.start(hasJetStream: true)
      let connection = try await servers.connect()
      let bucket = KeyValueBucket(connection, name: "LAB", timeout: .seconds(60))
      try await bucket.create(replicas: 1)
      await #expect(throws: NATSError.invalidSubject) { try await bucket.get(key) }
      await #expect(throws: NATSError.invalidSubject) { try await bucket.put(key, [1]) }
      await #expect(throws: NATSError.invalidSubject) { try await bucket.delete(key) }
      await connection.close()
      await servers.stop()
    }
  }
}
