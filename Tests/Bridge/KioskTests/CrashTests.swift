import Foundation
import TesseraCryptography
import TesseraKiosk
import TestSupport
import Testing

@testable import KioskGuests

extension RealPrograms {
  @Suite("Killing a kiosk's process")
  struct CrashTests {
    static let program = ProgramRun.built("KioskGuests")
    let place: TemporaryFolder

    init() throws { place = try TemporaryFolder(inMemory: true) }

    static func identifiers(_ output: String, _ word: String) -> [String] {
      // The last line of a killed process may be incomplete.
      output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        .filter { $0.hasPrefix("\(word) ") }.map { String($0.dropFirst(word.count + 1)) }
    }

    @Test("loses no result that was kept, and delivers each, by its key, once")
    func fifty() async throws {
      let folder = ResultFolder(path: place.file("outbox"))
      let publicKey = try await ResultSigner.test(keys: place.file("keys")).prepare().publicKey
      var kept: [String] = []
      while kept.count < 50 {
        let writer = try RunningProgram(Self.program, ["keep", folder.path, place.file("keys"), "\(Int32.max)"])
        let last = Int.random(in: 1..<12)
        _ = await writer.wait { !$0.isRunning || Self.identifiers($0.output, "kept").count >= last }
        try await Task.sleep(for: .microseconds(Int.random(in: 0..<2_000)))
        writer.send(signal: SIGKILL)
        kept += Self.identifiers(await writer.finish(within: 120).output, "kept")
      }
      let names = try folder.names()
      #expect(Set(kept).isSubset(of: names.map { String($0.suffix(36)) }))
      for name in names {
        let entry = try #require(try folder.entry(name))
        #expect(try publicKey.verify(try P256Signature(der: entry.signature), over: entry.json))
      }
      // Each process dies when the server has its next few results, and before it knows that.
      let log = place.file("server.log")
      var deaths = 0
      while true {
        let deliverer = try RunningProgram(Self.program, ["deliver", folder.path, log, "\(Int.random(in: 1..<9))"])
        let run = await deliverer.finish(within: 120)
        if run.output.hasSuffix("end\n") { break }
        #expect(run.status == SIGKILL || run.status == 128 + SIGKILL)
        deaths += 1
      }
      #expect(deaths > 0)
      let keys = RecordingServer.keys(log)
      #expect(Set(keys) == Set(names.map { String($0.suffix(36)) }))
      // Only what a death interrupted came twice.
      #expect(keys.count <= names.count + deaths)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
  }

  @Suite("Killing a kiosk's process while it delivers")
  struct CrashWhileDeliveringTests {
    let place: TemporaryFolder

    init() throws { place = try TemporaryFolder(inMemory: true) }

    @Test("loses no result that was kept, and delivers each, by its key, once")
    func both() async throws {
      let folder = ResultFolder(path: place.file("outbox"))
      let log = place.file("server.log")
      _ = try await ResultSigner.test(keys: place.file("keys")).prepare()
      var kept: [String] = []
      var deaths = 0
      while kept.count < 50 {
        let kiosk = try RunningProgram(
          CrashTests.program, ["both", folder.path, log, "\(Int.random(in: 1..<12))", place.file("keys")])
        let run = await kiosk.finish(within: 120)
        #expect(run.status == SIGKILL || run.status == 128 + SIGKILL, "\(run.errors)")
        deaths += 1
        kept += CrashTests.identifiers(run.output, "kept")
      }
      let last = try RunningProgram(CrashTests.program, ["deliver", folder.path, log, "\(Int32.max)"])
      #expect(await last.finish(within: 120).output.hasSuffix("end\n"))
      let keys = RecordingServer.keys(log)
      #expect(Set(kept).isSubset(of: keys))
      #expect(keys.count <= Set(keys).count + deaths)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
  }

  @Suite("The receipt of a kiosk")
  struct ReceiptTests {
    let place: TemporaryFolder

    init() throws { place = try TemporaryFolder() }

    private func program(_ script: String, limit: Duration = .seconds(600)) throws -> ReceiptProgram {
      try RunnableFile.write("#!/bin/sh\n\(script)\n", to: place.file("receipt"))
      return try ReceiptProgram(path: place.file("receipt"), limit: limit)
    }

    @Test("is made by a program that has the result on its standard input")
    func input() async throws {
      let output = place.file("paper")
      #expect(await (try program("cat > '\(output)'")).run(Array(#"{"id": 1}"#.utf8)) == .exited(0))
      #expect(place.bytes("paper") == Array(#"{"id": 1}"#.utf8))
    }

    @Test("ends as its program ends, which may ignore the result")
    func status() async throws {
      #expect(await (try program("exit 3")).run([UInt8](repeating: 32, count: 1 << 20)) == .exited(3))
      #expect(await (try program("kill -TERM $$")).run([]) == .exited(128 + SIGTERM))
    }

    @Test("is made by a program that inherits no file of the kiosk")
    func descriptors() async throws {
      // Descriptors that every program would inherit, as some of libraries are.
      let files = (0..<40).map { _ in open("/dev/null", O_RDONLY) }
      defer { for file in files { close(file) } }
      let output = place.file("seen")
      let looking = """
        import os, stat
        kinds = {}
        for number in range(4096):
            try: kinds[number] = os.fstat(number).st_mode
            except OSError: pass
        print(sorted(kinds), stat.S_ISREG(kinds[0]), os.fstat(1).st_rdev == os.stat("/dev/null").st_rdev, file=open("\(output)", "w"))
        """
      try looking.write(toFile: place.file("looking.py"), atomically: false, encoding: .utf8)
      #expect(await (try program("exec /usr/bin/python3 '\(place.file("looking.py"))'")).run([32]) == .exited(0))
      #expect(String(decoding: place.bytes("seen"), as: UTF8.self) == "[0, 1, 2] True True\n")
    }

    @Test("may print more than a pipe holds")
    func printing() async throws {
      let program = try program("head -c 300000 /dev/zero")
      #expect(await program.run([]) == .exited(0))
    }

    @Test("is given up when its program takes too long, with what that started")
    func limit() async throws {
      let program = try program("sleep 1000 & echo $! > '\(place.file("sleeper"))'; wait", limit: .seconds(2))
      #expect(await program.run([]) == .timedOut)
      let sleeper = try #require(
        pid_t(String(decoding: place.bytes("sleeper"), as: UTF8.self).filter(\.isNumber)))
      // A dead process that its new parent has not noticed yet has no arguments either.
      try await eventually { Descendants.text("/proc/\(sleeper)/cmdline").isEmpty }
    }

    @Test("needs a program")
    func missing() throws {
      #expect(throws: (any Error).self) { try ReceiptProgram(path: place.file("nothing")) }
      #expect(throws: (any Error).self) { try ReceiptProgram(path: place.url.path) }
    }
  }
}
