import FleetLab
import Foundation
import TestSupport
import Testing

@testable import TesseraFleet

extension RealPrograms {
  @Suite("The spool and a clock that jumps", .enabled(if: NATSServers.isEnabled))
  struct RecordSpoolClockTests {
    @Test(
      "records that were spooled a year earlier or later by the clock are sent, once each",
      arguments: [-LabClock.year, LabClock.year])
    func jump(_ offset: Double) async throws {
      let lab = try await RecordLab()
      let records = try await [RecordExamples.record("a"), RecordExamples.record("b")]
      // By the clock before its jump, and by the one after it.
      for (record, time) in zip(records, [Date.now, Date.now + offset]) {
        try await lab.spool().set(record, for: SpoolName(time: time, messageID: try record.messageID))
      }
      let recorder = try await lab.recorder(patience: .zero)
      try await recorder.running {
        try await eventually { try await lab.messages().count == 2 && recorder.current.spooled == 0 }
      }
      #expect(Set(try await lab.messages().map(\.payload)) == Set(records.map(\.payload)))
      #expect(recorder.current == RecorderState())
      #expect(try await lab.spool().list() == RecordSpool.Listing())
      await lab.stop()
    }

    @Test("the age of a record that waits is never negative", arguments: [-LabClock.year, LabClock.year])
    func age(_ offset: Double) async throws {
      let lab = try await RecordLab()
      let recorder = try await lab.recorder(patience: .zero)
      try await lab.killServer()
      let record = try await RecordExamples.record()
      try await lab.spool().set(record, for: SpoolName(time: Date.now + offset, messageID: try record.messageID))
      try await recorder.running {
        try await eventually { recorder.current.spooled == 1 }
        let oldest = try #require(recorder.figures.oldest)
        #expect(offset > 0 ? oldest == 0 : abs(Double(oldest) + offset) < 86_400)
        try await lab.restartServer()
        try await eventually { recorder.current.spooled == 0 }
      }
      #expect(try await lab.messages().map(\.payload) == [record.payload])
      await lab.stop()
    }
  }
}
