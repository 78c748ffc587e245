import Foundation
import LabDevices
import PassportTestSupport
import TesseraCore
import TesseraJSON
import TesseraReaders
import TesseraVirtualChip
import TestSupport
import Testing

/// A private pcscd with libccid, on the real USB stack.
final class ReaderLab: Sendable {
  /// The second document: PACE with Chip Authentication Mapping, then Chip Authentication, both with AES.
  static let pace = ChipProfile(named: "germany-2023") ?? .mechanisms
  let card: CCIDCard
  let monitor: MachineMonitor
  private let pcscd: RunningProgram

  init() async throws {
    card = try CCIDCard([
      Chip(profile: .bac, files: SpecimenDocument().files),
      Chip(profile: Self.pace, files: SpecimenDocument(profile: Self.pace).files),
    ])
    monitor = try MachineMonitor()
    try FileManager.default.createDirectory(atPath: "/run/pcscd", withIntermediateDirectories: true)
    pcscd = try RunningProgram(URL(fileURLWithPath: "/usr/sbin/pcscd"), ["--foreground"])
    _ = await pcscd.wait { FileManager.default.fileExists(atPath: "/run/pcscd/pcscd.comm") || !$0.isRunning }
    guard pcscd.isRunning else { throw Failure(.serviceUnavailable, "pcscd did not start: \(pcscd.errors)") }
  }

  /// Kills pcscd. After SIGTERM it would wait for its clients and its reader.
  func stop() async {
    pcscd.send(signal: SIGKILL)
    _ = await pcscd.finish()
    try? FileManager.default.removeItem(atPath: "/run/pcscd")
  }

  static let environment = ["PCSCLITE_CSOCK_NAME": "/run/pcscd/pcscd.comm"]

  func start(_ arguments: [String]) throws -> RunningProgram {
    try RunningProgram(ProgramRun.tessera, arguments, environment: Self.environment)
  }

  func tessera(_ arguments: [String]) async throws -> ProgramRun {
    try await ProgramRun.tessera(arguments, environment: Self.environment)
  }
}

@Suite("A USB CCID reader below libccid and pcscd", .serialized, .enabled(if: VirtualMachine.isInside))
struct CCIDReaderTests {
  static let key = ["--document-number", "TS0264718", "--date-of-birth", "900214", "--date-of-expiry", "350630"]

  @Test(
    "reads a document, reports the reader unplugged during a read, uses it again, and reads another document with PACE")
  func reading() async throws {
    let lab = try await ReaderLab()
    let watch = try lab.start(["readers", "--watch", "--json"])
    #expect(await watch.wait { $0.output.contains("readerAdded") }, "\(watch.output)\(watch.errors)")
    lab.card.insert()
    #expect(await watch.wait { $0.output.contains("cardInserted") }, "\(watch.output)")

    let read = try await lab.tessera(["passport", "read", "--json"] + Self.key)
    #expect(read.status == 0, "\(read.errors)")
    #expect(read.output.contains(#""exchanges" : 87"#) && read.output.contains("USB SmartCard Reader"))
    #expect(lab.card.exchanges == 87)

    // Without events the program that watches has no wake-ups. Threads that the last event woke need some seconds to
    // end.
    try await Task.sleep(for: .seconds(8))
    let wakeUps = try await WakeUps.count(of: watch.processIdentifier, during: 10)
    print("readers --watch: \(wakeUps) wake-ups of ours in 10 s with a reader and a card")
    #expect(wakeUps == 0)

    // The reader is unplugged during a read.
    lab.card.onExchange(40) { try? lab.monitor.unplugReader() }
    let broken = try await lab.tessera(["passport", "read"] + Self.key)
    print("Unplugged in the middle:", broken.status, broken.errors)
    // QEMU removes the card before the reader; on a slow host the program can report the card first.
    #expect(
      broken.errors.contains("was unplugged") || broken.errors.contains("The card was removed before"),
      "\(broken.errors)")
    #expect(broken.status == 6)
    #expect(await watch.wait { $0.output.contains("readerRemoved") }, "\(watch.output)")
    let without = try await lab.tessera(["passport", "read"] + Self.key)
    #expect(without.status == 3 && without.errors.contains("No card reader is connected"), "\(without.errors)")

    // The reader is plugged in again: the program that watches reports it, and the next read succeeds.
    try lab.monitor.plugReader()
    #expect(await watch.wait { $0.output.ranges(of: "readerAdded").count == 2 }, "\(watch.output)")
    lab.card.insert()
    #expect(await watch.wait { $0.output.ranges(of: "cardInserted").count == 2 }, "\(watch.output)")
    let again = try await lab.tessera(["passport", "read", "--json"] + Self.key)
    #expect(again.status == 0 && again.output.contains(#""exchanges" : 87"#), "\(again.errors)")

    // Another document, with PACE and AES. If it was inserted before the removal was detected, the program could not
    // distinguish it from the first one. The unplugging may have caused a removal event, too.
    let removals = watch.output.ranges(of: "cardRemoved").count
    lab.card.remove()
    #expect(await watch.wait { $0.output.ranges(of: "cardRemoved").count > removals }, "\(watch.output)")
    lab.card.insert(1)
    #expect(await watch.wait { $0.output.ranges(of: "cardInserted").count == 3 }, "\(watch.output)")
    let pace = try await lab.tessera(["passport", "read", "--json"] + Self.key)
    #expect(pace.status == 0 && pace.output.contains("USB SmartCard Reader"), "\(pace.errors)")
    let report = try JSONValue(text: pace.output)
    #expect(report["accessControl"]?["protocol"] == "PACE" && report["accessControl"]?["mapping"] == "CAM")
    #expect(report["accessControl"]?["cipher"] == "AES-128" && report["accessControl"]?["parameterId"] == 13)
    let row = try #require(ProfileRow.all.first { $0.name == ReaderLab.pace.name })
    guard case .array(let checks)? = report["checks"] else {
      Issue.record("there are no checks")
      return
    }
    let statuses = checks.map {
      ProfileRow.Check(id: $0["id"]?.stringValue ?? "", status: $0["status"]?.stringValue ?? "")
    }
    #expect(statuses == row.checksWithoutCountry)

    watch.send(signal: SIGINT)
    print("Watched:", await watch.finish().output)
    await lab.stop()
  }
}
