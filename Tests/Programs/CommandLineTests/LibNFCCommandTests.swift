import Foundation
import LabDevices
import PassportTestSupport
import Tessera
import TesseraThreads
import TestSupport
import Testing

extension RealPrograms {
  /// `tessera` with the real libnfc and an emulated PN532 at the other end of a pseudo terminal, without pcscd.
  @Suite("tessera through libnfc and an emulated PN532", .serialized)
  struct LibNFCCommandTests {
    static let withoutService = ["PCSCLITE_CSOCK_NAME": "/proc/nonexistent/pcscd.comm"]

    static func reader() throws -> PN532 {
      try PN532(.passport(try Chip(profile: .bac, files: SpecimenDocument().files)))
    }

    static func tessera(
      _ arguments: [String], _ environment: [String: String] = [:], timeout: Double = 180
    ) async throws -> ProgramRun {
      try await ProgramRun.tessera(
        arguments, environment: withoutService.merging(environment) { _, new in new }, timeout: timeout)
    }

    static func read(_ reader: PN532) -> [String] {
      RealPrograms.AsRoot.SmartCardLabTests.read + ["--nfc", reader.connstring]
    }

    private func transport(_ run: ProgramRun) throws -> JSONValue? { try JSONValue(text: run.output)["transport"] }

    @Test("reads the document with --nfc and with LIBNFC_DEVICE, with as many exchanges as without a reader")
    func read() async throws {
      let reader = try Self.reader()
      let folder = try TemporaryFolder()
      let run = try await Self.tessera(Self.read(reader) + ["--json", "--portrait", folder.file("p.jpg")])
      #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
      #expect(folder.bytes("p.jpg") == SpecimenDocument.portrait)
      let transport = try transport(run)
      #expect(transport?["reader"] == .string(reader.connstring))
      let virtual = try await Self.tessera(["passport", "read", "--virtual", "--json"])
      #expect(transport?["exchanges"] == (try self.transport(virtual)?["exchanges"]))
      #expect(transport?["exchanges"] == .integer(Int64(reader.field.exchanges)))

      let named = try await Self.tessera(
        RealPrograms.AsRoot.SmartCardLabTests.read + ["--json"], ["LIBNFC_DEVICE": reader.connstring])
      #expect(named.status == 0, "\(named.errors)")
      #expect(try self.transport(named)?["reader"] == .string(reader.connstring))
    }

    @Test(
      "reads documents with PACE and chip authentication",
      arguments: ProfileRow.all.filter { ["germany-2023", "hong-kong-2025", "dh"].contains($0.name) })
    func pace(_ row: ProfileRow) async throws {
      let profile = try #require(ChipProfile(named: row.name))
      let document = try SpecimenDocument(profile: profile)
      let files = document.files
      let reader = try PN532(.passport(try Chip(profile: profile, files: files)))
      let folder = try TemporaryFolder()
      try RealPrograms.AsRoot.ProfileLabTests.write(document.country, to: folder.file("country"))
      let run = try await Self.tessera(
        Self.read(reader) + ["--json", "--out", folder.file("dump"), "--trust", folder.file("country")])
      #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
      try ProfileCommandTests.expect(row, run, access: row.access)
      for file in files.all { #expect(folder.bytes("dump/\(file.name).bin") == files[file], "\(file.name)") }
      #expect(try transport(run)?["exchanges"] == .integer(Int64(reader.field.exchanges)))
    }

    @Test("lists libnfc devices with their cards")
    func readers() async throws {
      let reader = try Self.reader()
      let environment = ["LIBNFC_DEVICE": reader.connstring]
      let list = try await Self.tessera(["readers"], environment)
      #expect(list.status == 0)
      #expect(list.output.contains("\(reader.connstring) (libnfc): contactless card, ATR 3B85800180738021"))
      let json = try JSONValue(text: try await Self.tessera(["readers", "--json"], environment).output)
      guard case .array(let readers)? = json["readers"], let first = readers.first else {
        Issue.record("no readers")
        return
      }
      #expect(readers.count == 1 && first["interface"] == "libnfc" && first["connstring"] == .string(reader.connstring))
      #expect(first["card"]?["contactless"] == true)
      reader.field.removeCard()
      #expect(try await Self.tessera(["readers"], environment).output == "\(reader.connstring) (libnfc): no card\n")
    }

    @Test("resumes the read after the tag was removed and replaced")
    func tagReturn() async throws {
      let files = try SpecimenDocument().files
      let reader = try PN532(.passport(try Chip(profile: .bac, files: files)))
      let place: @Sendable () -> Void = { [field = reader.field] in
        guard let chip = try? Chip(profile: .bac, files: files) else { return }
        field.place(.passport(chip))
      }
      reader.field.before(exchange: 20) { [field = reader.field] in
        field.removeCard()
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.5, execute: place)
      }
      let folder = try TemporaryFolder()
      let run = try await Self.tessera(Self.read(reader) + ["--out", folder.file("dump"), "--wait", "120"])
      #expect(run.status == 0, "\(run.errors)")
      for file in files.all { #expect(folder.bytes("dump/\(file.name).bin") == files[file], "\(file.name)") }
      // The lost command, access control, the first block of EF.SOD, SELECT.
      #expect(reader.field.exchanges <= 85 + 8)
    }

    @Test("a tag removed during the read ends it with status 6, and the next read works")
    func tagLoss() async throws {
      let reader = try Self.reader()
      reader.field.before(exchange: 20) { [field = reader.field] in field.removeCard() }
      let lost = try await Self.tessera(Self.read(reader) + ["--wait", "2"])
      #expect(lost.status == 6, "\(lost.errors)")
      #expect(lost.errors.contains("The card was removed before"))
      #expect(reader.field.exchanges == 20)
      reader.field.place(.passport(try Chip(profile: .bac, files: SpecimenDocument().files)))
      let back = try await Self.tessera(Self.read(reader))
      #expect(back.status == 0, "\(back.errors)")
    }

    @Test("a reader disconnected during the read has its own error")
    func unplugged() async throws {
      let reader = try Self.reader()
      reader.field.before(exchange: 20) { [weak reader] in reader?.unplug() }
      let lost = try await Self.tessera(Self.read(reader))
      #expect(lost.status == 6)
      #expect(lost.errors.contains("The reader \"\(reader.connstring)\" was unplugged."))
    }

    @Test("Ctrl-C during the wait ends it immediately and leaves the reader usable", arguments: [SIGINT, SIGTERM])
    func interruption(_ signal: Int32) async throws {
      let reader = try PN532()
      let program = try RunningProgram(
        ProgramRun.tessera, Self.read(reader) + ["--wait", "600"], environment: Self.withoutService)
      // The poll without a time limit is the second one.
      #expect(await program.wait { _ in reader.commands.count { $0 == 0x60 } == 2 })
      try await Task.sleep(for: .milliseconds(200))
      program.send(signal: signal)
      #expect(await program.finish(within: 120).status == 128 + signal)
      #expect(reader.abortions == 1)
      reader.field.place(.passport(try Chip(profile: .bac, files: SpecimenDocument().files)))
      #expect(try await Self.tessera(Self.read(reader)).status == 0)
    }

    @Test("the next program can use the reader of a killed one")
    func killed() async throws {
      let reader = try PN532()
      let program = try RunningProgram(
        ProgramRun.tessera, Self.read(reader) + ["--wait", "600"], environment: Self.withoutService)
      #expect(await program.wait { _ in reader.commands.count { $0 == 0x60 } == 2 })
      // The device is in use while the first program runs.
      let taken = try await Self.tessera(Self.read(reader))
      #expect(taken.status == 3 && taken.errors.contains("Another program is using"))
      let list = try await Self.tessera(["readers"], ["LIBNFC_DEVICE": reader.connstring])
      #expect(list.output.hasPrefix("\(reader.connstring) (libnfc): Another program is using"), "\(list.output)")
      program.send(signal: SIGKILL)
      _ = await program.finish(within: 120)
      reader.field.place(.passport(try Chip(profile: .bac, files: SpecimenDocument().files)))
      let next = try await Self.tessera(Self.read(reader))
      #expect(next.status == 0, "\(next.errors)")
    }

    @Test("PACE works on a card on which a killed program left the application selected")
    func leftSelected() async throws {
      let profile = try #require(ChipProfile(named: "germany-2023"))
      let reader = try PN532(.passport(try Chip(profile: profile, files: SpecimenDocument(profile: profile).files)))
      let program = Locked<RunningProgram?>(nil)
      let isKilled = Locked(false)
      // During the card's computation, so that no transfer is in progress when the next program starts.
      reader.field.before(exchange: 12) {
        let reading = program.withLock { $0 }
        reading?.send(signal: SIGKILL)
        reading?.blockUntilExit(within: 180)
        isKilled.withLock { $0 = true }
      }
      let started = try RunningProgram(ProgramRun.tessera, Self.read(reader), environment: Self.withoutService)
      program.withLock { $0 = started }
      #expect(await started.wait { _ in isKilled.withLock { $0 } })
      // The emulated card still has to compute its answer, which nobody reads.
      try await Task.sleep(for: .seconds(2))
      let next = try await Self.tessera(Self.read(reader) + ["--json", "--wait", "10"])
      #expect(next.status == 0, "\(next.errors)")
      #expect(try JSONValue(text: next.output)["accessControl"]?["protocol"] == "PACE")
    }

    @Test("an unknown status ends the read, not the program")
    func unknownStatus() async throws {
      let reader = try Self.reader()
      reader.disturb { command, frame in command == 0x40 ? PN53xFrame.answer([0x41, 0x3F]) : frame }
      let run = try await Self.tessera(Self.read(reader) + ["--wait", "10"])
      #expect(run.status == 6, "\(run.errors)")
      reader.disturb(nil)
      #expect(try await Self.tessera(Self.read(reader)).status == 0)
    }

    @Test("the bridge scans with the device")
    func bridge() async throws {
      let reader = try Self.reader()
      let run = try await Self.tessera([
        "call", "nfc.scan", RealPrograms.AsRoot.SmartCardLabTests.parameters, "--nfc", reader.connstring, "--events",
      ])
      #expect(run.status == 0)
      #expect(try JSONValue(text: run.output)["surname"] == "SPECIMEN")
      #expect(run.errors.contains(#""step":"reading_dg1""#))
      let isSupported = try await Self.tessera(["call", "nfc.isSupported", "--nfc", reader.connstring])
      #expect(isSupported.output == "true\n")
    }

    @Test("no thread wakes during a wait of ten seconds")
    func idle() async throws {
      let reader = try PN532()
      let program = try RunningProgram(
        ProgramRun.tessera, Self.read(reader) + ["--wait", "600"], environment: Self.withoutService)
      #expect(await program.wait { _ in reader.commands.count { $0 == 0x60 } == 2 })
      // libdispatch ends threads that are idle for some seconds; each wakes to terminate.
      try await Task.sleep(for: .seconds(12))
      var before = Self.switches(program.processIdentifier)
      var woken: [String: (name: String, count: Int)] = [:]
      // On a busy machine, idle threads may take longer to end. What wakes again and again does so in each of these times.
      for _ in 0..<6 {
        before = Self.switches(program.processIdentifier)
        try await Task.sleep(for: .seconds(10))
        woken = Self.switches(program.processIdentifier).filter { $0.value.count != before[$0.key]?.count }
        if woken.allSatisfy({ $0.value.name == "-qos.overcommit" }) { break }
      }
      // Once a process has a worker thread, libdispatch on Linux polls its pools once a second on its manager thread
      // (`_dispatch_workq_init_once`): these wake-ups occur in every program with Swift tasks.
      let ours = woken.filter { $0.value.name != "-qos.overcommit" }
      let monitor = woken.values.reduce(0) { $0 + $1.count } - woken.keys.reduce(0) { $0 + (before[$1]?.count ?? 0) }
      print(
        "libnfc: in 10 s of waiting \(ours.count) threads of this process were woken; libdispatch's monitor \(monitor) times"
      )
      #expect(before.count > 2 && program.isRunning)
      if !ProgramRun.isSanitized { #expect(ours.isEmpty, "\(ours)") }
      program.send(signal: SIGINT)
      #expect(await program.finish(within: 120).status == 130)
    }

    /// The number of voluntary context switches of each thread of a process.
    private static func switches(_ process: Int32) -> [String: (name: String, count: Int)] {
      let folder = "/proc/\(process)/task"
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return threads.reduce(into: [:]) { result, thread in
        let status = (try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)) ?? ""
        func value(_ key: String) -> String {
          String(status.split(separator: "\n").first { $0.hasPrefix(key) }?.split(separator: "\t").last ?? "")
        }
        result[thread] = (value("Name:"), Int(value("voluntary_ctxt_switches:")) ?? 0)
      }
    }
  }
}

extension RealPrograms.AsRoot {
  /// A pcscd with a virtual reader and a PN532 at the same time.
  @Suite(
    "tessera with pcscd and libnfc together", .serialized,
    .enabled(if: SmartCardLab.isEnabled, "\(SmartCardLab.unavailableReason ?? "")"))
  struct BothStacksTests {
    @Test("uses the first card in any reader; a PC/SC reader takes precedence")
    func firstCard() async throws {
      let lab = try await SmartCardLab()
      let reader = try PN532()
      let environment = lab.environment.merging(["LIBNFC_DEVICE": reader.connstring]) { _, new in new }
      let arguments = RealPrograms.AsRoot.SmartCardLabTests.read + ["--json", "--wait", "300"]
      let program = try RunningProgram(ProgramRun.tessera, arguments, environment: environment)
      #expect(await program.wait { _ in reader.commands.count { $0 == 0x60 } == 2 })
      reader.field.place(.passport(try Chip(profile: .bac, files: SpecimenDocument().files)))
      let first = await program.finish(within: 120)
      #expect(first.status == 0, "\(first.errors)")
      #expect(try JSONValue(text: first.output)["transport"]?["reader"] == .string(reader.connstring))

      let list = try await ProgramRun.tessera(["readers"], environment: environment)
      #expect(list.output.split(separator: "\n").count == 3)
      #expect(list.output.contains("Tessera Lab 00 00: no card") && list.output.contains("(libnfc): contactless card"))

      reader.field.removeCard()
      let looks = reader.commands.count { $0 == 0x60 }
      let waiting = try RunningProgram(ProgramRun.tessera, arguments, environment: environment)
      #expect(await waiting.wait { _ in reader.commands.count { $0 == 0x60 } == looks + 2 })
      let chip = try await lab.insertChip()
      let second = await waiting.finish(within: 120)
      #expect(second.status == 0, "\(second.errors)")
      #expect(try JSONValue(text: second.output)["transport"]?["reader"] == "Tessera Lab 00 00")

      let commands = reader.commands.count
      reader.field.place(.passport(try Chip(profile: .bac, files: SpecimenDocument().files)))
      let third = try await ProgramRun.tessera(arguments, environment: environment)
      #expect(try JSONValue(text: third.output)["transport"]?["reader"] == "Tessera Lab 00 00")
      #expect(reader.commands.count == commands, "no program used the libnfc device")
      try await lab.remove(chip)
    }
  }
}
