import FleetLab
import TesseraNATS
import TesseraThreads
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Messages")
  struct MessageTests {
    @Test("Headers and any bytes arrive unchanged")
    func headers() async throws {
      let servers = try await NATSServers.start()
      let connection = try await servers.connect()
      let log = MessageLog()
      let subscription = try connection.subscribe("any") { log.add($0) }
      let sent = [
        NATSMessage(
          subject: "any", reply: "elsewhere", headers: [("One", "a: b, c"), ("two", "2")], payload: Array(0...255)),
        NATSMessage(subject: "any", payload: []), NATSMessage(subject: "any", payload: [0]),
        NATSMessage(subject: "any", headers: [("Only", "header")], payload: []),
      ]
      for message in sent { try connection.publish(message) }
      try await eventually { log.count == sent.count }
      for (received, sent) in zip(log.messages, sent) {
        #expect(received.subject == sent.subject && received.reply == sent.reply && received.payload == sent.payload)
        #expect(
          received.headers.headers.sorted { $0.name < $1.name } == sent.headers.headers.sorted { $0.name < $1.name })
      }
      subscription.cancel()
      await connection.close()
      await servers.stop()
    }

    @Test("A payload may have exactly as many bytes as the server accepts")
    func limit() async throws {
      let servers = try await NATSServers.start(configuration: "max_payload: 70000")
      let connection = try await servers.connect()
      #expect(connection.maximumPayload == 70_000)
      let log = MessageLog()
      let subscription = try connection.subscribe("any") { log.add($0) }
      try connection.publish(NATSMessage(subject: "any", payload: [UInt8](repeating: 7, count: 70_000)))
      #expect(throws: NATSError.tooLarge(limit: 70_000)) {
        try connection.publish(NATSMessage(subject: "any", payload: [UInt8](repeating: 7, count: 70_001)))
      }
      // The headers count.
      #expect(throws: NATSError.tooLarge(limit: 70_000)) {
        try connection.publish(
          NATSMessage(subject: "any", headers: [("a", "b")], payload: [UInt8](repeating: 7, count: 70_000)))
      }
      // "NATS/1.0\r\na: b\r\n\r\n"
      let header = 18
      try connection.publish(
        NATSMessage(subject: "any", headers: [("a", "b")], payload: [UInt8](repeating: 8, count: 70_000 - header)))
      try await eventually { log.count == 2 }
      #expect(log.messages.map(\.payload.count) == [70_000, 70_000 - header])
      #expect(connection.state == .connected)
      subscription.cancel()
      await connection.close()
      await servers.stop()
    }

    @Test("A subject or a header cannot be a command to the server")
    func injection() async throws {
      let servers = try await NATSServers.start()
      let connection = try await servers.connect()
      let log = MessageLog()
      let subscription = try connection.subscribe(">") { log.add($0) }
      let command = "a 0\r\n\r\nPUB injected 0\r\n"
      #expect(throws: NATSError.invalidSubject) { try connection.publish(NATSMessage(command, "")) }
      #expect(throws: NATSError.invalidSubject) {
        try connection.publish(NATSMessage(subject: "a", reply: command, payload: []))
      }
      #expect(throws: NATSError.invalidSubject) { try connection.publish(NATSMessage("a.*", "")) }
      #expect(throws: NATSError.invalidSubject) { try connection.subscribe(command) { _ in } }
      #expect(throws: NATSError.invalidSubject) { try connection.subscribe("a", queue: "b c") { _ in } }
      #expect(throws: NATSError.invalidHeader) {
        try connection.publish(NATSMessage("a", "", headers: [("Name", "value\r\nOther: value")]))
      }
      try connection.publish(NATSMessage("end", ""))
      try await eventually { log.count >= 1 }
      #expect(log.messages.map(\.subject) == ["end"])
      subscription.cancel()
      await connection.close()
      await servers.stop()
    }

    @Test("Each message to a queue group is handled by one of its members, and each member has some")
    func queueGroup() async throws {
      let servers = try await NATSServers.start()
      let sender = try await servers.connect("sender")
      var (members, subscriptions, logs): ([NATSConnection], [NATSSubscription], [MessageLog]) = ([], [], [])
      for number in 0..<3 {
        let member = try await servers.connect("member\(number)")
        let log = MessageLog()
        subscriptions.append(try member.subscribe("work.*", queue: "members") { log.add($0) })
        try await member.flush(within: .seconds(60))
        members.append(member)
        logs.append(log)
      }
      for number in 0..<300 { try sender.publish(NATSMessage("work.\(number % 7)", "\(number)")) }
      try await eventually { logs.reduce(0) { $0 + $1.count } >= 300 }
      let numbers: [Int] = logs.flatMap(\.texts).compactMap { Int($0) }
      #expect(numbers.sorted() == Array(0..<300))
      #expect(logs.allSatisfy { $0.count > 0 })
      for connection in members + [sender] { await connection.close() }
      for subscription in subscriptions { subscription.cancel() }
      await servers.stop()
    }

    @Test("A cancelled subscription gets nothing more, and gives back its handler")
    func cancellation() async throws {
      let servers = try await NATSServers.start()
      let connection = try await servers.connect()
      let log = MessageLog()
      weak var released: MessageLog?
      try await {
        let held = MessageLog()
        released = held
        let subscription = try connection.subscribe("a") { message in
          held.add(message)
          log.add(message)
        }
        try connection.publish(NATSMessage("a", "1"))
        try await eventually { log.count == 1 }
        subscription.cancel()
        subscription.cancel()
      }()
      let sentinel = MessageLog()
      let other = try connection.subscribe("a") { sentinel.add($0) }
      try connection.publish(NATSMessage("a", "2"))
      try await eventually { sentinel.count == 1 }
      #expect(log.texts == ["1"])
      try await eventually("The release of the handler") { released == nil }
      other.cancel()
      await connection.close()
      await servers.stop()
    }

    @Test("The end of a connection gives back the handlers of its subscriptions")
    func closing() async throws {
      let servers = try await NATSServers.start()
      let handlers = try await {
        let connection = try await servers.connect()
        let held = (0..<20).map { _ in MessageLog() }
        var subscriptions: [NATSSubscription] = []
        for log in held { subscriptions.append(try connection.subscribe("a") { log.add($0) }) }
        try connection.publish(NATSMessage("a", "1"))
        try await eventually { held.allSatisfy { $0.count == 1 } }
        await connection.close()
        return held.map { log in { [weak log] in log == nil } }
      }()
      try await eventually("The release of all handlers") { handlers.allSatisfy { $0() } }
      await servers.stop()
    }
  }
}
