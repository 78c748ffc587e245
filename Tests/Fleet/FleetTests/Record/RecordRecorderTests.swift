import FleetLab
import Foundation
import TesseraCore
import TesseraCryptography
import TesseraEncryptedStorage
import TesseraNATS
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  @Suite("The recorder of reads", .enabled(if: NATSServers.isEnabled))
  struct RecordRecorderTests {
    @Test("an acknowledged record is in the stream once, and not in the spool")
    func acknowledged() async throws {
      let lab = try await RecordLab()
      let recorder = try await lab.recorder()
      let read = try await RecordExamples.finished()
      #expect(try await recorder.record(read) == .recorded)
      let message = try #require(try await lab.messages().first)
      #expect(message.subject == "tessera.record.desk-1.rrrrrrrrrrrrrrrrrrrrrr")
      #expect(message.payload == (try ReadRecord(read, policy: RecordPolicy()).payload))
      #expect(recorder.current == RecorderState())
      #expect(try await lab.spool().list() == RecordSpool.Listing())
      // The same again, as after an answer that was lost.
      #expect(try await recorder.record(read) == .recorded)
      #expect(try await lab.messages().count == 1)
      await lab.stop()
    }

    @Test("while the server is away a record is spooled, and it is sent once when the server is back")
    func serverAway() async throws {
      let lab = try await RecordLab()
      let recorder = try await lab.recorder(patience: .zero)
      let records = try await [RecordExamples.record("a"), RecordExamples.record("b")]
      try await recorder.running {
        try await lab.killServer()
        for record in records { #expect(try await recorder.record(record) == .spooled) }
        #expect(recorder.current.spooled == 2 && recorder.figures.records == 2)
        #expect(recorder.current.oldest != nil && recorder.current.lastError?.kind == .serviceUnavailable)
        #expect(try await lab.spool().list().waiting.count == 2)
        try await lab.restartServer()
        try await eventually { recorder.current.spooled == 0 }
      }
      #expect(recorder.current == RecorderState())
      #expect(try await lab.spool().list() == RecordSpool.Listing())
      #expect(try await lab.messages().map(\.payload) == records.map(\.payload))
      await lab.stop()
    }

    @Test("a record of a process that was killed between the acknowledgement and the removal stays one")
    func killedBeforeRemoval() async throws {
      let lab = try await RecordLab()
      let record = try await RecordExamples.record()
      let name = SpoolName(time: .now, messageID: try record.messageID)
      try await lab.spool().set(record, for: name)
      let sender = RecordSender(stream: lab.stream, timeout: .seconds(60))
      #expect(try await sender.send(record) == .stored)

      let recorder = try await lab.recorder()
      let next = try await RecordExamples.record("n")
      try await recorder.running {
        // The first look at the spool has found it.
        try await eventually { try await lab.spool().list().waiting.isEmpty }
      }
      #expect(try await recorder.record(next) == .recorded)
      #expect(try await lab.messages().map(\.payload) == [record.payload, next.payload])
      await lab.stop()
    }

    @Test("of two inspectors that record the same read, the second is acknowledged if it says the same, else refused")
    func twoRecorders() async throws {
      let lab = try await RecordLab()
      let (first, second) = (try await lab.recorder(), try await lab.recorder(lab.spool("other")))
      let record = try await RecordExamples.record()
      let again = try await RecordExamples.record(inspector: "xxxxxxxxxxxxxxxxxxxxxx")
      let other = try await RecordExamples.record(trust: false)
      #expect(try await first.record(record) == .recorded)
      #expect(try await second.record(again) == .recorded)
      #expect(try await second.record(other) == .conflict)
      // The same verdict on another document of the same kind.
      let otherDocument = try await RecordExamples.record(of: LabDocument(.bac))
      #expect(try await second.record(otherDocument) == .conflict)
      #expect(try await lab.messages().map(\.payload) == [record.payload])
      #expect(try await lab.spool("other").list() == RecordSpool.Listing())
      #expect(second.current == RecorderState())
      await lab.stop()
    }

    @Test("a spooled record that another one contradicts is neither sent nor lost")
    func lateConflict() async throws {
      let lab = try await RecordLab()
      let other = try await RecordExamples.record(trust: false)
      try await lab.spool().set(other, for: SpoolName(time: .now, messageID: try other.messageID))
      let stored = try await RecordExamples.record()
      let recorder = try await lab.recorder()
      #expect(try await recorder.record(stored) == .recorded)
      try await recorder.running {
        try await eventually { recorder.current.refused == 1 }
      }
      #expect(recorder.current.spooled == 0)
      let listing = try await lab.spool().list()
      #expect(listing.refused == 1 && listing.waiting.isEmpty)
      #expect(try await lab.messages().map(\.payload) == [stored.payload])
      await lab.stop()
    }

    @Test("a full stream refuses records, which are spooled and sent when there is space; what it has stays recorded")
    func streamFull() async throws {
      let first = try await RecordExamples.record("a")
      // Space for one and a half.
      let lab = try await RecordLab(maximumBytes: first.payload.count * 3 / 2)
      let recorder = try await lab.recorder()
      #expect(try await recorder.record(first) == .recorded)
      let second = try await RecordExamples.record("b")
      #expect(try await recorder.record(second) == .spooled)
      #expect(recorder.current.lastError?.kind == .storageFull && recorder.current.spooled == 1)
      // The stream has one error number for both.
      #expect(try await recorder.record(RecordExamples.record("a", inspector: "xxxxxxxxxxxxxxxxxxxxxx")) == .recorded)
      #expect(try await recorder.record(RecordExamples.record("a", trust: false)) == .conflict)
      try await recorder.running {
        try await lab.stream.createStream(RecordStream.configuration(replicas: 1, maximumBytes: 1 << 20))
        try await eventually { recorder.current.spooled == 0 }
      }
      #expect(try await lab.messages().map(\.payload) == [first.payload, second.payload])
      await lab.stop()
    }

    @Test("without the spool a record is acknowledged by the stream, and without both there is an error")
    func noSpool() async throws {
      let lab = try await RecordLab()
      let full = RecordLab.spool(lab.folder.file("full"), StorageLimits(entriesPerOwner: 0))
      let recorder = try await lab.recorder(full, patience: .zero)
      #expect(try await recorder.record(RecordExamples.record("a")) == .recorded)
      #expect(recorder.current.lastError?.kind == .storageFull)
      try await lab.killServer()
      await #expect(throws: FleetError(.notRecorded)) { try await recorder.record(RecordExamples.record("b")) }
      #expect(recorder.current.spooled == 0)
      try await lab.restartServer()
      #expect(try await lab.messages().count == 1)
      await lab.stop()
    }

    @Test(
      "a disk without space is a typed error, and the spool works again when there is space",
      .enabled(if: SmallDisk.isEnabled, "\(SmallDisk.unavailableReason ?? "")"))
    func fullDiskAsRoot() async throws {
      let lab = try await RecordLab()
      let disk = lab.folder.file("disk")
      try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
      try #require(SmallDisk.mount(at: disk), "\(SmallDisk.unavailableReason ?? "mount")")
      defer { SmallDisk.unmount(disk) }
      let recorder = try await lab.recorder(RecordLab.spool("\(disk)/spool"), patience: .zero)
      #expect(try await recorder.record(RecordExamples.record("a")) == .recorded)
      try SmallDisk.fill(disk)
      #expect(try await recorder.record(RecordExamples.record("b")) == .recorded)
      #expect(recorder.current.lastError?.kind == .storageFull)
      try await lab.killServer()
      await #expect(throws: FleetError(.notRecorded)) { try await recorder.record(RecordExamples.record("c")) }
      try SmallDisk.makeSpace(disk)
      let last = try await RecordExamples.record("d")
      #expect(try await recorder.record(last) == .spooled)
      try await recorder.running {
        try await lab.restartServer()
        try await eventually { recorder.current.spooled == 0 }
      }
      let subjects = try await lab.messages().map(\.subject)
      #expect(subjects.map { $0.suffix(1) } == ["a", "b", "d"])
      await lab.stop()
    }

    @Test("records of a later version and damaged ones stay and are reported, and the others are sent")
    func unreadable() async throws {
      let lab = try await RecordLab()
      let path = lab.folder.file("spool")
      let store = EncryptedStore(path: path, secretService: { nil })
      func name(_ letter: String, _ time: Double) -> SpoolName {
        SpoolName(time: Date(timeIntervalSince1970: time), messageID: letter)
      }
      for (name, text) in [(name("later", 1), "Tessera-Record: 2\nnew"), (name("broken", 2), "nothing")] {
        try await store.set(
          SecretBytes(Array(text.utf8)), for: EntryName(name.text, in: .documents, of: .local))
      }
      let record = try await RecordExamples.record("d")
      try await lab.spool().set(record, for: name("damaged", 3))
      try Self.damageLargestFile(path)
      let good = try await RecordExamples.record("g")
      try await lab.spool().set(good, for: name("good", 4))

      let recorder = try await lab.recorder()
      try await recorder.running {
        try await eventually {
          let messages = try await lab.messages()
          return recorder.current.spooled == 0 && !messages.isEmpty
        }
      }
      #expect(recorder.current == RecorderState(damaged: 2, laterVersion: 1))
      #expect(try await lab.messages().map(\.payload) == [good.payload])
      #expect(try await lab.spool().list().waiting == [name("later", 1), name("broken", 2), name("damaged", 3)])
      await lab.stop()
    }

    /// Changes the last byte of the record's file, which has a tag of its content.
    private static func damageLargestFile(_ folder: String) throws {
      let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
      let contents = files.compactMap { file in
        FileManager.default.contents(atPath: "\(folder)/\(file)").map { (path: "\(folder)/\(file)", bytes: $0) }
      }
      var largest = try #require(contents.max { $0.bytes.count < $1.bytes.count })
      largest.bytes[largest.bytes.count - 1] ^= 1
      try largest.bytes.write(to: URL(fileURLWithPath: largest.path))
    }

    @Test("two processes that share a spool send each record once")
    func sharedSpool() async throws {
      let lab = try await RecordLab()
      var payloads: [[UInt8]] = []
      for letter in "abcdefghijklmnopqrst" {
        let record = try await RecordExamples.record(letter)
        payloads.append(record.payload)
        try await lab.spool().set(record, for: SpoolName(time: .now, messageID: try record.messageID))
      }
      let (first, second) = (try await lab.recorder(lab.spool()), try await lab.recorder(lab.spool()))
      try await first.running {
        try await second.running {
          try await eventually {
            let listing = try await lab.spool().list()
            return listing.waiting.isEmpty && first.current.spooled == 0 && second.current.spooled == 0
          }
        }
      }
      #expect(Set(try await lab.messages().map(\.payload)) == Set(payloads))
      #expect(try await lab.messages().count == payloads.count)
      await lab.stop()
    }

    @Test("the parts of a dump are in the stream before its record, and a repetition adds none")
    func dump() async throws {
      let lab = try await RecordLab()
      let recorder = try await lab.recorder()
      let plain = try await RecordExamples.record()
      let content = (0..<(RecordDump.partSize * 2 + 100)).map { UInt8(truncatingIfNeeded: $0 / 1000) }
      func record() throws -> ReadRecord {
        ReadRecord(
          desk: plain.desk, readID: plain.readID, payload: plain.payload,
          dump: RecordDump(identifier: try .random(), content: content))
      }
      let first = try record()
      #expect(try await recorder.record(first) == .recorded)
      var messages = try await lab.messages()
      let identifier = try #require(first.dump).identifier
      let subject = "tessera.record.desk-1.rrrrrrrrrrrrrrrrrrrrrr"
      #expect(messages.map(\.subject) == (0..<3).map { "\(subject)-\($0)-\(identifier)" } + [subject])
      #expect(messages.dropLast().flatMap(\.payload) == content && messages.last?.payload == plain.payload)
      // Another inspector, whose dump has another identifier.
      #expect(try await recorder.record(record()) == .recorded)
      messages = try await lab.messages()
      #expect(messages.count == 4)
      // A process that was killed after two parts.
      let interrupted = ReadRecord(
        desk: plain.desk, readID: try RecordExamples.readID("i"), payload: plain.payload, dump: first.dump)
      let parts = try #require(first.dump).parts
      for number in 0..<2 {
        _ = try await lab.stream.publish(
          try #require(first.dump).subject(number, interrupted.desk, interrupted.readID), parts[number])
      }
      #expect(try await recorder.record(interrupted) == .recorded)
      #expect(try await lab.messages().count == 8)
      await lab.stop()
    }

    @Test("a cancelled read is recorded all the same")
    func cancelled() async throws {
      let lab = try await RecordLab()
      let recorder = try await lab.recorder()
      let record = try await RecordExamples.record()
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await recorder.record(record)
      }
      #expect(try await task.value == .recorded)
      #expect(try await lab.messages().count == 1)
      await lab.stop()
    }

    @Test("a stream that does not exist leaves records in the spool, and takes them once it is made")
    func streamMissing() async throws {
      let lab = try await RecordLab()
      let earlier = try await RecordExamples.record("e")
      try await lab.spool().set(earlier, for: SpoolName(time: .now, messageID: try earlier.messageID))
      let recorder = try await lab.recorder(patience: .zero)
      let record = try await RecordExamples.record()
      try await recorder.running {
        // Then only the record itself makes the recorder look at the spool again.
        try await recorder.idle()
        #expect(try await lab.spool().list().waiting.isEmpty)
        try await lab.stream.deleteStream(RecordStream.name)
        #expect(try await recorder.record(record) == .spooled)
        #expect(recorder.current.lastError?.kind == .serviceUnavailable)
        try await lab.stream.createStream(RecordStream.configuration(replicas: 1))
        try await eventually { recorder.current.spooled == 0 }
      }
      #expect(try await lab.messages().map(\.payload) == [record.payload])
      await lab.stop()
    }

    @Test(
      "records of another process are found when the spool is listed again, and not at each record that fails",
      arguments: [(Duration.seconds(86_400), 1), (.zero, 2)])
    func listing(_ interval: Duration, _ count: Int) async throws {
      let lab = try await RecordLab()
      var intervals = SpoolIntervals()
      intervals.listing = interval
      let recorder = try await lab.recorder(patience: .zero, intervals: intervals)
      let (foreign, own) = (try await RecordExamples.record("f"), try await RecordExamples.record("o"))
      let name = SpoolName(time: Date(timeIntervalSince1970: 1), messageID: try foreign.messageID)
      try await recorder.running {
        try await recorder.idle()
        try await lab.spool().set(foreign, for: name)
        try await lab.stream.deleteStream(RecordStream.name)
        #expect(try await recorder.record(own) == .spooled)
        try await lab.stream.createStream(RecordStream.configuration(replicas: 1))
        // It comes last, since it is younger.
        try await eventually { try await lab.messages().last?.payload == own.payload }
        try await recorder.idle()
      }
      #expect(try await lab.messages().map(\.payload) == [foreign.payload, own.payload].suffix(count))
      #expect(try await lab.spool().list().waiting == (count == 1 ? [name] : []))
      await lab.stop()
    }

    @Test("while the stream is away, further reads cause no attempt for the records that wait")
    func pause() async throws {
      let lab = try await RecordLab()
      try await lab.stream.deleteStream(RecordStream.name)
      // Counts the attempts, and answers as a server does that has no such stream.
      let attempts = Locked(0)
      let connection = lab.connection
      let counter = try connection.subscribe(RecordStream.subject) { message in
        attempts.withLock { $0 += 1 }
        try? connection.respond(to: message, Array(#"{"error": {"code": 404, "err_code": 10059}}"#.utf8))
      }
      try await connection.flush(within: .seconds(60))
      var intervals = SpoolIntervals()
      intervals.pauses = .seconds(86_400) ... .seconds(86_400)
      let recorder = try await lab.recorder(patience: .zero, intervals: intervals)
      let letters = "abcdefgh"
      try await recorder.running {
        try await recorder.idle()
        for (number, letter) in letters.enumerated() {
          #expect(try await recorder.record(RecordExamples.record(letter)) == .spooled)
          // The first one is tried again at once, and then there is a pause.
          if number == 0 { try await eventually { attempts.withLock { $0 } == 2 } }
        }
        #expect(recorder.current.lastError?.kind == .serviceUnavailable)
        #expect(attempts.withLock { $0 } == letters.count + 1)
        counter.cancel()
        try await connection.flush(within: .seconds(60))
        try await lab.stream.createStream(RecordStream.configuration(replicas: 1))
        // As when the connection is there again.
        recorder.wakeUp.signal()
        try await eventually { recorder.current.spooled == 0 }
      }
      #expect(try await lab.messages().count == letters.count)
      #expect(attempts.withLock { $0 } == letters.count + 1)
      await lab.stop()
    }
  }
}
