import CTesseraPCSC
import Foundation
import LabDevices
import Tessera
import TestSupport
import Testing

extension RealPrograms.AsRoot {
  /// Another program that uses the same card, and a service that terminates or hangs.
  @Suite(
    "Cards and services shared with other programs", .serialized,
    .enabled(if: SmartCardLab.isEnabled, "\(SmartCardLab.unavailableReason ?? "")"))
  struct CardSharingTests {
    static let read = RealPrograms.AsRoot.SmartCardLabTests.read

    @Test("resumes the read after the card was removed and replaced between two polls of the service")
    func shortRemoval() async throws {
      let lab = try await SmartCardLab()
      // One document for both programs: each run would issue its own specimen.
      let folder = try TemporaryFolder()
      let files = ["--files", folder.file("dump")]
      #expect(
        try await ProgramRun.tessera(["passport", "read", "--virtual", "--out", folder.file("dump")]).status == 0)
      _ = try await lab.insertLeavingChip(files)
      // Its connection waits at the virtual reader until the first one closes: the service never sees an empty slot. It
      // has the same profile, and the rest of the read takes fewer than 60 commands.
      let second = try await lab.insertChip(["--profile", "fault-lost"] + files)
      let run = try await lab.tessera(Self.read + ["--trace", folder.file("trace")])
      #expect(run.status == 0, "\(run.errors)")
      let trace = String(decoding: folder.bytes("trace"), as: UTF8.self)
      #expect(trace.ranges(of: "powered again").count == 1)
      try await lab.remove(second)
    }

    @Test("--wait limits the wait for a hanging service", arguments: [false, true])
    func hungService(_ hangsDuringWait: Bool) async throws {
      let lab = try await SmartCardLab()
      if !hangsDuringWait { lab.suspend() }
      var run: ProgramRun?
      for seconds in [10, 60, 360] where run == nil {
        let start = ContinuousClock.now
        let wait = Self.read + ["--wait", "\(seconds)"]
        let read = hangsDuringWait ? try await lab.startWaiting(wait) : try lab.start(wait)
        lab.suspend()
        // On a slow machine the wait may have ended before the service hung.
        let isInTime = !hangsDuringWait || start.duration(to: .now) < .seconds(seconds)
        let ended = await read.finish(within: 600)
        if isInTime { run = ended }
        lab.resume()
      }
      #expect(run?.status == 3)
      #expect(run?.errors.contains("The PC/SC service (pcscd) does not respond.") == true, "\(run?.errors ?? "")")
    }

    @Test("Ctrl-C ends the wait for a hanging service")
    func hungServiceInterrupted() async throws {
      let lab = try await SmartCardLab()
      let read = try await lab.startWaiting(Self.read + ["--wait", "600"])
      lab.send(signal: SIGSTOP)
      read.send(signal: SIGINT)
      #expect(await read.finish(within: 120).status == 130)
      lab.send(signal: SIGCONT)
    }

    @Test("the wait ends when the service terminates")
    func endedService() async throws {
      let lab = try await SmartCardLab()
      let read = try await lab.startWaiting(Self.read + ["--wait", "600"])
      lab.stop()
      let run = await read.finish(within: 120)
      #expect(run.status == 3)
      #expect(run.errors.contains("The PC/SC service (pcscd) is not running"), "\(run.errors)")
    }

    @Test("detects a card after the service restarted during the wait", arguments: [false, true])
    func restartedService(_ hasDevice: Bool) async throws {
      let lab = try await SmartCardLab()
      // Without a libnfc device, the wait ends 10 seconds after the service. With one, it goes on.
      let device = hasDevice ? try PN532() : nil
      let environment = device.map { ["LIBNFC_DEVICE": $0.connstring] } ?? [:]
      let read = try await lab.startWaiting(Self.read + ["--wait", "300"], environment: environment)
      if device == nil {
        try await lab.replace()
      } else {
        lab.kill()
        try await Task.sleep(for: .seconds(12))
        #expect(read.isRunning)
        try await lab.restart()
      }
      let chip = try await lab.insertChip()
      let run = await read.finish(within: 240)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.contains("SPECIMEN"))
      try await lab.remove(chip)
    }

    @Test("--watch continues after the service terminated, and reports the readers of the restarted one")
    func watch() async throws {
      let lab = try await SmartCardLab()
      let watch = try lab.start(["readers", "--watch", "--json"])
      #expect(await watch.wait { $0.output.ranges(of: "readerAdded").count == 2 })
      lab.kill()
      #expect(await watch.wait { $0.output.contains("serviceStopped") })
      #expect(watch.output.ranges(of: "readerRemoved").count == 2)
      try await lab.restart()
      #expect(await watch.wait { $0.output.ranges(of: "readerAdded").count == 4 })
      let chip = try await lab.insertChip()
      #expect(await watch.wait { $0.output.contains("cardInserted") })
      #expect(watch.isRunning && watch.errors.isEmpty, "\(watch.errors)")
      watch.send(signal: SIGINT)
      #expect(await watch.finish(within: 120).status == 130)
      try await lab.remove(chip)
    }

    @Test("--watch and --wait wait for a service that does not run yet")
    func lateService() async throws {
      let lab = try await SmartCardLab()
      lab.kill()
      let watch = try lab.start(["readers", "--watch", "--json"])
      let read = try lab.start(Self.read + ["--wait", "600"])
      #expect(await watch.wait { $0.errors.contains("This command waits for that.") || !$0.isRunning })
      #expect(watch.isRunning && watch.output.isEmpty, "\(watch.output)\(watch.errors)")
      try await lab.restart()
      #expect(await watch.wait { $0.output.ranges(of: "readerAdded").count == 2 })
      let chip = try await lab.insertChip()
      let run = await read.finish(within: 240)
      #expect(run.status == 0 && run.output.contains("SPECIMEN"), "\(run.errors)")
      watch.send(signal: SIGINT)
      #expect(await watch.finish(within: 120).status == 130)
      try await lab.remove(chip)
    }

    /// With more than one vpcd driver, a chip is not found reliably: here the waits count.
    @Test("waits at sixteen readers, and watches them")
    func sixteenReaders() async throws {
      let lab = try await SmartCardLab(drivers: 8)
      let watch = try lab.start(["readers", "--watch", "--json"])
      #expect(await watch.wait { $0.output.ranges(of: "readerAdded").count == 16 || !$0.isRunning }, "\(watch.errors)")
      let run = try await lab.tessera(Self.read + ["--wait", "3"])
      #expect(run.status == 3, "\(run.errors)")
      #expect(run.errors.contains("No contactless card was detected within 3 seconds"), "\(run.errors)")
      #expect(watch.isRunning, "\(watch.errors)")
      lab.kill()
      #expect(await watch.wait { $0.output.contains("serviceStopped") || !$0.isRunning })
      #expect(watch.output.ranges(of: "readerRemoved").count == 16)
      watch.send(signal: SIGINT)
      #expect(await watch.finish(within: 120).status == 130)
    }

    @Test("no destructor of a C library runs at exit, since other threads may still use the library")
    func destructors() async throws {
      let lab = try await SmartCardLab()
      let chip = try await lab.insertChip()
      let folder = try TemporaryFolder()
      for (arguments, status) in [(Self.read, Int32(0)), (["passport", "read", "--no-such-option"], 2)] {
        // The dynamic linker logs each library's initialisers and destructors.
        let run = try await lab.start(
          arguments, environment: ["LD_DEBUG": "files", "LD_DEBUG_OUTPUT": folder.file("linker-\(status)")]
        ).finish()
        #expect(run.status == status, "\(run.errors)")
        let name = try #require(
          FileManager.default.contentsOfDirectory(atPath: folder.url.path).first { $0.hasPrefix("linker-\(status)") })
        let log = String(decoding: folder.bytes(name), as: UTF8.self)
        #expect(log.contains("calling init") && !log.contains("calling fini"))
      }
      try await lab.remove(chip)
    }
  }
}

/// Uses another client in this process: libpcsclite connects to one daemon per process.
extension RealPrograms.AsRoot.PCSCContextTests {
  @Test(
    "PACE works on a chip on which another program left the application selected",
    arguments: [OtherProgram.Stay.left, .connected])
  func leftSelected(_ stay: OtherProgram.Stay) async throws {
    let lab = try #require(LabInThisProcess.lab)
    let chip = try await lab.insertChip(["--profile", "germany-2023"])
    let other = try OtherProgram(reader: "Tessera Lab 00 00")
    #expect(other.transmit([0x00, 0xA4, 0x04, 0x0C, 0x07] + ElementaryFile.application) == [0x90, 0x00])
    if stay == .left { other.disconnect() }
    let run = try await lab.tessera(RealPrograms.AsRoot.SmartCardLabTests.read + ["--json"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try json(run.output)["accessControl"]?["protocol"] == "PACE")
    // The service reports the reset of the card to the other client.
    if stay == .connected { #expect(other.status == 0x8010_0068) }
    other.disconnect()
    try await lab.remove(chip)
  }

  @Test("reads a card that one program left without power while another one stays connected")
  func unpowered() async throws {
    let lab = try #require(LabInThisProcess.lab)
    let chip = try await lab.insertChip()
    // As opensc-explorer and a script with pyscard do on the same card.
    var first = try OtherProgram(reader: "Tessera Lab 00 00")
    try OtherProgram(reader: "Tessera Lab 00 00").disconnect(DWORD(SCARD_UNPOWER_CARD))
    #expect(first.status == 0x8010_0068)
    #expect(first.reconnect() == 0)
    #expect(try OtherProgram.connectionStatus("Tessera Lab 00 00") == 0x8010_0067, "the card has no power")
    let run = try await lab.tessera(RealPrograms.AsRoot.SmartCardLabTests.read + ["--wait", "20"])
    #expect(run.status == 0, "\(run.errors)")
    first.disconnect()
    try await lab.remove(chip)
  }

  @Test("says that a service with too many sessions runs and opens no more")
  func manySessions() async throws {
    let lab = try #require(LabInThisProcess.lab)
    var sessions: [SCARDCONTEXT] = []
    var session = SCARDCONTEXT()
    while sessions.count < 250, SCardEstablishContext(DWORD(SCARD_SCOPE_SYSTEM), nil, nil, &session) == 0 {
      sessions.append(session)
    }
    #expect((190...200).contains(sessions.count))
    for arguments in [["readers"], RealPrograms.AsRoot.SmartCardLabTests.read + ["--wait", "3"]] {
      let run = try await lab.tessera(arguments)
      // The service refuses the first one or two attempts with another status than later ones: then all causes are named.
      #expect(run.status == 3 && run.errors.contains("200"), "\(run.errors)")
      #expect(!run.errors.contains("not running"), "\(run.errors)")
    }
    for session in sessions { SCardReleaseContext(session) }
    try await eventually { try await lab.tessera(["readers"]).status == 0 }
  }

  @Test("--wait limits the wait for another program's transaction, and the message mentions that program")
  func transaction() async throws {
    let lab = try #require(LabInThisProcess.lab)
    let chip = try await lab.insertChip()
    let other = try OtherProgram(reader: "Tessera Lab 00 00")
    #expect(other.beginTransaction())
    let run = try await lab.tessera(RealPrograms.AsRoot.SmartCardLabTests.read + ["--wait", "5"], timeout: 120)
    #expect(run.status == 3, "\(run.errors)")
    // The service does not say whether it is a transaction or a command that is stuck in the driver.
    #expect(run.errors.contains("The card in \"Tessera Lab 00 00\" does not become free: another program is using it"))
    other.disconnect()
    #expect(try await lab.tessera(RealPrograms.AsRoot.SmartCardLabTests.read).status == 0)
    try await lab.remove(chip)
  }

  /// GnuPG's scdaemon does so when a card is inserted (LudovicRousseau/PCSC issue 215).
  @Test("waits a moment while another program has exclusive access, and reports an access that stays")
  func exclusiveAccess() async throws {
    let lab = try #require(LabInThisProcess.lab)
    let chip = try await lab.insertChip()
    let other = try OtherProgram(reader: "Tessera Lab 00 00", share: SCARD_SHARE_EXCLUSIVE)
    let read = RealPrograms.AsRoot.SmartCardLabTests.read + ["--wait", "60"]
    let refused = try await lab.tessera(read)
    #expect(refused.status == 3)
    #expect(refused.errors.contains("exclusive access to the card in \"Tessera Lab 00 00\""), "\(refused.errors)")
    let waiting = try lab.start(read)
    try await Task.sleep(for: .milliseconds(700))
    other.disconnect()
    let run = await waiting.finish()
    #expect(run.status == 0, "\(run.errors)")
    try await lab.remove(chip)
  }

  @Test("releasing a card closes the session with the service")
  func session() async throws {
    let lab = try #require(LabInThisProcess.lab)
    let chip = try await lab.insertChip()
    let before = try lab.sockets()
    let context = PCSCContext()
    let card = try await context.card(CardSelection(timeout: .seconds(60)))
    #expect(try lab.sockets() == before + 1)
    await card.disconnect()
    try await eventually { try lab.sockets() == before }
    // The context can start another session.
    #expect(try await context.readers().count == 2)
    try await lab.remove(chip)
  }
}

/// A PC/SC client that shares cards and never resets them.
struct OtherProgram {
  enum Stay: Sendable { case left, connected }

  private var context = SCARDCONTEXT()
  private var handle = SCARDHANDLE()

  init(reader: String, share: Int32 = SCARD_SHARE_SHARED) throws {
    var used = DWORD()
    SCardEstablishContext(DWORD(SCARD_SCOPE_SYSTEM), nil, nil, &context)
    let status = SCardConnect(
      context, reader, DWORD(share), DWORD(SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1), &handle, &used)
    try #require(status == 0)
  }

  /// The status of a connection like those of most programs. It is closed at once.
  static func connectionStatus(_ reader: String) throws -> UInt32 {
    var (context, handle, used) = (SCARDCONTEXT(), SCARDHANDLE(), DWORD())
    SCardEstablishContext(DWORD(SCARD_SCOPE_SYSTEM), nil, nil, &context)
    defer { SCardReleaseContext(context) }
    let status = SCardConnect(
      context, reader, DWORD(SCARD_SHARE_SHARED), DWORD(SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1), &handle, &used)
    if status == 0 { SCardDisconnect(handle, DWORD(SCARD_LEAVE_CARD)) }
    return UInt32(truncatingIfNeeded: status)
  }

  func transmit(_ command: [UInt8]) -> [UInt8] {
    var request = SCARD_IO_REQUEST(
      dwProtocol: DWORD(SCARD_PROTOCOL_T1), cbPciLength: DWORD(MemoryLayout<SCARD_IO_REQUEST>.size))
    var answer = [UInt8](repeating: 0, count: 300)
    var length = DWORD(answer.count)
    SCardTransmit(handle, &request, command, DWORD(command.count), nil, &answer, &length)
    return Array(answer.prefix(Int(length)))
  }

  func beginTransaction() -> Bool { SCardBeginTransaction(handle) == 0 }

  /// The status of the connection.
  var status: UInt32 {
    UInt32(truncatingIfNeeded: SCardStatus(handle, nil, nil, nil, nil, nil, nil))
  }

  /// Connects again after a reset, without another one.
  ///
  /// - Returns: the status.
  mutating func reconnect() -> UInt32 {
    var used = DWORD()
    return UInt32(
      truncatingIfNeeded: SCardReconnect(
        handle, DWORD(SCARD_SHARE_SHARED), DWORD(SCARD_PROTOCOL_T0 | SCARD_PROTOCOL_T1), DWORD(SCARD_LEAVE_CARD),
        &used))
  }

  /// - Parameter disposition: what becomes of the card.
  func disconnect(_ disposition: DWORD = DWORD(SCARD_LEAVE_CARD)) {
    SCardDisconnect(handle, disposition)
    SCardReleaseContext(context)
  }
}
