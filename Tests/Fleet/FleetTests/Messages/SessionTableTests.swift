import TesseraThreads
import Testing

@testable import TesseraFleet

@Suite("Reads under way at an inspector")
struct SessionTableTests {
  private static let challenge = [UInt8](repeating: 1, count: 8)

  private func read(_ desk: String, _ readID: FleetReadID? = nil) throws -> InspectedRead {
    InspectedRead(
      session: try .random(), readID: try readID ?? .random(), desk: try #require(DeskName(desk)), software: "1")
  }

  @Test("a read belongs to the desk that began it")
  func owner() throws {
    let table = SessionTable(FleetLimits())
    let read = try read("a")
    try table.begin(read, challenge: Self.challenge)
    let other = try #require(DeskName("b"))
    #expect(throws: FleetError(.sessionUnknown)) { try table.takeParts(of: read.session, other) }
    table.add(FilePart(number: 0, data: Base64Bytes([1])), to: read.session, of: other)
    let taken = try table.takeParts(of: read.session, read.desk)
    #expect(taken.parts.size == 0)
    #expect(taken.challenge == Self.challenge)
  }

  @Test("a read has one step at a time")
  func steps() throws {
    let table = SessionTable(FleetLimits())
    let read = try read("a")
    try table.begin(read, challenge: Self.challenge)
    #expect(throws: FleetError(.sessionUnknown)) { try table.takeProof(of: read.session, read.desk) }
    _ = try table.takeParts(of: read.session, read.desk)
    #expect(throws: FleetError(.sessionUnknown)) { try table.takeParts(of: read.session, read.desk) }
    #expect(throws: FleetError(.sessionUnknown)) { try table.takeProof(of: read.session, read.desk) }
    table.end(read.session, "genuine")
    #expect(table.count == 0)
  }

  @Test("one desk has a bounded number of reads, and all desks together")
  func bounds() throws {
    var limits = FleetLimits()
    limits.reads = 10
    limits.readsPerDesk = 4
    let table = SessionTable(limits)
    for _ in 0..<4 { try table.begin(try read("a"), challenge: Self.challenge) }
    for _ in 0..<5000 {
      let next = try read("a")
      #expect(throws: FleetError(.busy)) { try table.begin(next, challenge: Self.challenge) }
    }
    for _ in 0..<4 { try table.beginRemote(try read("b")) }
    for _ in 0..<2 { try table.begin(try read("c"), challenge: Self.challenge) }
    let next = try read("d")
    #expect(throws: FleetError(.busy)) { try table.begin(next, challenge: Self.challenge) }
    #expect(table.count == 10)
  }

  @Test("a read that is begun again takes the place of its earlier attempt")
  func repetition() throws {
    var limits = FleetLimits()
    limits.readsPerDesk = 1
    let table = SessionTable(limits)
    let first = try read("a")
    try table.begin(first, challenge: Self.challenge)
    let second = try read("a", first.readID)
    try table.begin(second, challenge: Self.challenge)
    #expect(table.count == 1)
    #expect(throws: FleetError(.sessionUnknown)) { try table.takeParts(of: first.session, first.desk) }
    _ = try table.takeParts(of: second.session, second.desk)
    // The inspector works on it: another attempt does not take that away.
    let third = try read("a", first.readID)
    #expect(throws: FleetError(.busy)) { try table.begin(third, challenge: Self.challenge) }
    // The same identifier at another desk is another read.
    try table.begin(try read("b", first.readID), challenge: Self.challenge)
    #expect(table.count == 2)
  }

  @Test("the session of another read cannot be taken over")
  func sameSession() throws {
    let table = SessionTable(FleetLimits())
    let read = try read("a")
    try table.begin(read, challenge: Self.challenge)
    let other = InspectedRead(
      session: read.session, readID: try .random(), desk: try #require(DeskName("b")), software: "1")
    #expect(throws: FleetError(.busy)) { try table.beginRemote(other) }
    _ = try table.takeParts(of: read.session, read.desk)
  }

  @Test("the bytes of all reads are bounded, and count until their read is removed")
  func heldSize() throws {
    var limits = FleetLimits()
    limits.heldSize = 100
    let table = SessionTable(limits)
    let (a, b) = (try read("a"), try read("b"))
    let part = FilePart(number: 0, data: Base64Bytes([UInt8](repeating: 1, count: 60)))
    for read in [a, b] {
      try table.begin(read, challenge: Self.challenge)
      table.add(part, to: read.session, of: read.desk)
    }
    #expect(try table.takeParts(of: a.session, a.desk).parts.size == 60)
    let refused = try table.takeParts(of: b.session, b.desk)
    #expect(refused.parts.size == 0)
    let statement = try FilesStatement(.init(), reader: "", parts: 1, data: [], limits)
    #expect(throws: FleetError(.busy)) { try refused.parts.files(statement, limits) }
    // The inspector works on the first read and still has its bytes.
    func partsOfNext() throws -> Int {
      let next = try read("c")
      try table.begin(next, challenge: Self.challenge)
      table.add(part, to: next.session, of: next.desk)
      let size = try table.takeParts(of: next.session, next.desk).parts.size
      table.end(next.session, "genuine")
      return size
    }
    #expect(try partsOfNext() == 0)
    table.end(a.session, "genuine")
    #expect(try partsOfNext() == 60)
    #expect(try partsOfNext() == 60)
  }

  @Test("the bytes of one desk are bounded, with those that arrive with the statement of the files")
  func heldSizePerDesk() throws {
    var limits = FleetLimits()
    limits.heldSizePerDesk = 100
    let table = SessionTable(limits)
    func begin(_ desk: String) throws -> InspectedRead {
      let read = try read(desk)
      try table.begin(read, challenge: Self.challenge)
      table.add(
        FilePart(number: 0, data: Base64Bytes([UInt8](repeating: 1, count: 60))), to: read.session, of: read.desk)
      return read
    }
    let (one, two, other) = (try begin("a"), try begin("a"), try begin("b"))
    #expect(try table.takeParts(of: two.session, two.desk).parts.size == 0)
    #expect(try table.takeParts(of: other.session, other.desk, lastSize: 40).parts.size == 60)
    #expect(try table.takeParts(of: one.session, one.desk, lastSize: 41).parts.hasFailed)
  }

  // MARK: - Messages without an answer

  /// How many messages of this size are accepted.
  private func accepted(_ size: Int, by table: SessionTable, of read: InspectedRead) -> Int {
    var count = 0
    while count < 100, table.accepts(size, of: read.desk) { count += 1 }
    return count
  }

  @Test("messages are accepted for as many bytes as the reads of their desk need")
  func unanswered() throws {
    var limits = FleetLimits()
    limits.readSize = 10 << 10
    limits.heldSizePerDesk = 15 << 10
    let table = SessionTable(limits)
    let (a, b) = (try read("a"), try read("b"))
    #expect(accepted(1, by: table, of: a) == 0)
    try table.begin(a, challenge: Self.challenge)
    try table.begin(b, challenge: Self.challenge)
    // Twice the bytes of the files, and one message to give the read up. A short message counts as 1 KiB.
    #expect(accepted(4 << 10, by: table, of: a) == 5)
    #expect(accepted(1, by: table, of: a) == 1)
    #expect(accepted(1, by: table, of: b) == 21)
    // Each read adds what it needs, up to what the desk may hold.
    for _ in 0..<3 { try table.begin(try read("a"), challenge: Self.challenge) }
    #expect(accepted(1 << 10, by: table, of: a) == 30)
    #expect(accepted(1, by: table, of: b) == 0)
  }

  @Test("a read that has failed or has its files accepts no parts, and ends with its desk's last message")
  func unansweredAtEnd() throws {
    let table = SessionTable(FleetLimits())
    let (failed, complete) = (try read("a"), try read("b"))
    for read in [failed, complete] {
      try table.begin(read, challenge: Self.challenge)
      #expect(table.accepts(700_000, of: read.desk))
    }
    table.add(FilePart(number: 1, data: Base64Bytes([1])), to: failed.session, of: failed.desk)
    _ = try table.takeParts(of: complete.session, complete.desk)
    for read in [failed, complete] {
      #expect(!table.accepts(1_025, of: read.desk))
      #expect(table.accepts(1_024, of: read.desk))
      #expect(!table.accepts(1, of: read.desk))
      table.end(read.session, "abandoned")
      #expect(!table.accepts(1, of: read.desk))
    }
  }

  @Test("a read that is begun again and again accepts no more than one read")
  func unansweredRepetition() throws {
    var limits = FleetLimits()
    limits.readSize = 10 << 10
    let table = SessionTable(limits)
    let first = try read("a")
    for _ in 0..<10 { try table.begin(try read("a", first.readID), challenge: Self.challenge) }
    #expect(accepted(1, by: table, of: first) == 21)
  }

  @Test("a read whose desk stays silent ends")
  func expiry() async throws {
    var limits = FleetLimits()
    limits.reading = .milliseconds(1)
    let ledger = ReadLedger()
    let table = SessionTable(limits, ledger)
    try table.begin(try read("a"), challenge: Self.challenge)
    let emptied = table.close()
    try await withTimeLimit(.seconds(60)) { try await emptied.value }
    #expect(ledger.figures.reads == ["timeLimit": 1])
    #expect(ledger.figures.underWay == 0)
  }

  @Test("the time limit of a step does not end a later one")
  func laterStep() async throws {
    var limits = FleetLimits()
    limits.reading = .milliseconds(1)
    let table = SessionTable(limits)
    let read = try read("a")
    try table.begin(read, challenge: Self.challenge)
    guard (try? table.takeParts(of: read.session, read.desk)) != nil else { return }
    // A read that begins later and expires shows that the first one's time has passed.
    let marker = SessionTable(limits)
    try marker.begin(try self.read("b"), challenge: Self.challenge)
    try await withTimeLimit(.seconds(60)) { [emptied = marker.close()] in try await emptied.value }
    #expect(table.count == 1)
  }

  @Test("an inspector that stops takes no read and waits for those under way")
  func closing() async throws {
    let table = SessionTable(FleetLimits())
    let read = try read("a")
    try table.begin(read, challenge: Self.challenge)
    let emptied = table.close()
    #expect(!emptied.isSettled)
    let next = try self.read("b")
    #expect(throws: FleetError(.closing)) { try table.begin(next, challenge: Self.challenge) }
    _ = try table.takeParts(of: read.session, read.desk)
    #expect(!emptied.isSettled)
    table.end(read.session, "genuine")
    #expect(emptied.isSettled)
  }
}
