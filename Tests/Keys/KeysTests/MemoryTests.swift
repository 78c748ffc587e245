import Foundation
import TesseraKeys
import TestEnvironment
import TestSupport
import Testing

extension RealPrograms {
  @Suite("Traces of a key in process memory")
  struct MemoryTests {
    static let gdb = "/usr/bin/gdb"
    /// Not with a sanitizer, whose shadow memory would be in the core dump.
    static let isEnabled =
      !ProgramRun.isSanitized
      && (FileManager.default.fileExists(atPath: gdb) || ProcessInfo.processInfo.environment["CI"] == "true")

    /// A key that OpenSSL generated and only the program under test has loaded.
    struct KnownKey {
      let scalar: [UInt8]
      let point: [UInt8]
      /// The lines of the PEM file.
      let lines: [[UInt8]]

      init(_ file: String) async throws {
        let run = try await RunningProgram(
          URL(fileURLWithPath: "/usr/bin/openssl"), ["pkey", "-in", file, "-noout", "-text"]
        ).finish(within: 120)
        func bytes(_ from: String, _ to: String) -> [UInt8] {
          let part = run.output.components(separatedBy: from).last?.components(separatedBy: to).first ?? ""
          return Vector(part.filter(\.isHexDigit)).bytes
        }
        scalar = bytes("priv:", "pub:").suffix(32)
        point = bytes("pub:", "ASN1")
        lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
          .filter { !$0.hasPrefix("-") }.map { Array($0.utf8) }
      }

      /// The number of traces in a dump: eight bytes of the scalar in either byte order, or its lines in base64.
      func traces(in dump: Data) -> Int {
        let pieces = [scalar, scalar.reversed()].flatMap { bytes in
          stride(from: 0, to: 32, by: 8).map { Data(bytes[$0..<$0 + 8]) }
        }
        return (pieces + lines.map { Data($0.prefix(32)) }).filter { Self.contains(dump, $0) }.count
      }

      static func contains(_ dump: Data, _ part: Data) -> Bool {
        dump.withUnsafeBytes { dump in
          part.withUnsafeBytes { tessera_test_contains(dump.baseAddress, dump.count, $0.baseAddress, $0.count) }
        }
      }
    }

    @Test(
      "the scalar is neither in a core dump nor, after the key is closed, in memory", .enabled(if: isEnabled),
      arguments: [["--unprotected"], ["--passphrase-fd", "3"]])
    func dump(_ protection: [String]) async throws {
      let folder = try TemporaryFolder()
      let keyFile = folder.file("known.pem")
      _ = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/openssl"),
        ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", keyFile]
      ).finish(within: 120)
      let known = try await KnownKey(keyFile)
      #expect(known.scalar.count == 32 && known.point.count == 65)
      try "a passphrase\n".write(toFile: folder.file("passphrase"), atomically: true, encoding: .utf8)

      // The shell opens descriptor 3 for the program.
      let script = """
        exec 3< "$FOLDER/passphrase"
        "$TESSERA" key import k "$FOLDER/known.pem" \(protection.joined(separator: " ")) || exit
        exec 3< "$FOLDER/passphrase"
        exec "$HOLDER" file "$FOLDER/tessera/keys"
        """
      let commands = Pipe()
      let holder = try RunningProgram(
        URL(fileURLWithPath: "/bin/sh"), ["-c", script], standardInput: commands,
        environment: [
          "FOLDER": folder.url.path, "TESSERA": ProgramRun.tessera.path, "HOLDER": ProgramRun.built("KeyHolder").path,
          "XDG_DATA_HOME": folder.url.path,
        ])
      defer { holder.send(signal: SIGKILL) }
      func command(_ line: String, expecting answer: String) async throws {
        try commands.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
        #expect(await holder.wait { $0.output.contains(answer) }, "\(holder.output)\(holder.errors)")
      }
      #expect(await holder.wait { $0.output.contains("ready") }, "\(holder.output)\(holder.errors)")

      // Immediately after use the key is still open, in memory that core dumps exclude.
      try await command("sign k 3", expecting: "3 signatures")
      let core = try await coreDump(of: holder, folder.file("core"))
      #expect(KnownKey.contains(core, Data(known.point)), "the search is ineffective")
      #expect(known.traces(in: core) == 0)

      // A second after its last use the key is closed; a busy machine may take a little longer.
      var later = Data()
      try await eventually("The end of the key", every: .milliseconds(250)) {
        later = try memory(of: holder)
        return known.traces(in: later) == 0
      }
      #expect(KnownKey.contains(later, Data(known.point)), "the search is ineffective")
      #expect(known.traces(in: later) == 0)

      // The search finds the scalar of a key in use in the whole memory.
      if protection == ["--unprotected"] {
        try commands.fileHandleForWriting.write(contentsOf: Data("sign k 1000000\n".utf8))
        try await eventually("A trace of the key in use", every: .milliseconds(50)) {
          known.traces(in: try memory(of: holder)) > 0
        }
      }
    }

    /// The core dump that `gcore` writes.
    private func coreDump(of holder: RunningProgram, _ path: String) async throws -> Data {
      defer { try? FileManager.default.removeItem(atPath: path) }
      // gdb can hang if a thread ends while it attaches.
      for _ in 0..<3 {
        let run = try await RunningProgram(
          URL(fileURLWithPath: Self.gdb),
          ["-nx", "-batch", "-p", "\(holder.processIdentifier)", "-ex", "gcore \(path)"]
        ).finish(within: 60)
        // A killed gdb leaves the program stopped.
        holder.send(signal: SIGCONT)
        if run.status == 0, let dump = FileManager.default.contents(atPath: path) { return dump }
      }
      Issue.record("gdb wrote no dump")
      return Data()
    }

    /// All writable memory of the program, including what core dumps exclude.
    private func memory(of holder: RunningProgram) throws -> Data {
      let maps = try String(contentsOfFile: "/proc/\(holder.processIdentifier)/maps", encoding: .utf8)
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/\(holder.processIdentifier)/mem"))
      defer { try? file.close() }
      var memory = Data()
      for line in maps.split(separator: "\n") {
        let words = line.split(separator: " ")
        let ends = words.first?.split(separator: "-").compactMap { UInt64($0, radix: 16) } ?? []
        guard words.count > 1, words[1].hasPrefix("rw"), ends.count == 2 else { continue }
        try file.seek(toOffset: ends[0])
        memory += (try? file.read(upToCount: Int(ends[1] - ends[0]))) ?? Data()
      }
      return memory
    }
  }
}
