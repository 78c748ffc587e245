import FleetLab
import Glibc
import TesseraCore
import TesseraFleet
import TesseraNATS
import TesseraPassport
import TesseraVerification

// Temporary (helper H), until tessera-fleet compiles; removed then.
struct TempRecorder: FleetRecording {
  let stream: JetStream
  func record(_ read: FinishedRead) async throws -> RecordOutcome {
    let reason = read.report.outcomeReason.map { "\"\($0.rawValue)\"" } ?? "null"
    let text = "{\"outcome\":\"\(read.report.outcome.rawValue)\",\"reason\":\(reason)}"
    let subject = FleetSubject.record(read.desk, read.readID)
    for _ in 0..<10 {
      do {
        switch try await stream.publish(subject, Array(text.utf8), id: read.readID.text, expectingNone: true) {
        case .stored, .duplicate: return .recorded
        case .occupied, .occupiedOrFull: return .recorded
        }
      } catch { try await Task.sleep(for: .seconds(1)) }
    }
    throw FleetError(.notRecorded)
  }
}
enum TempWorker {
  static func run(_ words: [String]) async throws {
    let servers = words[2].split(separator: ",").map(String.init)
    let seed = words[4]
    if words[0] == "inspect" {
      let name = String(seed.split(separator: "/").last!.dropFirst(7).dropLast(3))
      let c = try await LoadServers.connect(name, seed: seed, at: servers)
      let f = TrustBucketFollower(c)
      let i = try FleetInspector(connection: c, trust: f, recorder: TempRecorder(stream: JetStream(c)))
      async let x: Void = f.run()
      try await i.run { Console.say("ready \(i.identifier)") }
      _ = try await x
    } else {
      let c = try await LoadServers.connect(
        "admin", seed: words[5 - 0], at: [String](words[3].split(separator: ",").map(String.init)))
      var s = StreamConfiguration(name: "TESSERA_RECORD", subjects: ["tessera.record.>"], replicas: 3)
      s.maximumMessagesPerSubject = 1
      s.refusesNew = true
      s.refusesNewPerSubject = true
      s.allowsDirect = true
      s.duplicateWindow = .seconds(86400)
      try await JetStream(c).createStream(s)
      try await TrustBucket(c).create(replicas: 3)
      await c.close()
    }
  }
}
