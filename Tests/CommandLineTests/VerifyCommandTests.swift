import Foundation
import Tessera
import TestSupport
import Testing

extension RealPrograms {
  @Suite("tessera passport verify")
  struct VerifyCommandTests {
    /// Reads the virtual chip into dumps with these names.
    private func read(_ names: String..., profile: String = "all") async throws -> TemporaryFolder {
      let folder = try TemporaryFolder()
      for name in names {
        let run = try await ProgramRun.tessera(["passport", "read", "--virtual", profile, "--out", folder.file(name)])
        #expect(run.status == 0, "\(run.errors)")
      }
      return folder
    }

    private func change(_ file: String, in folder: TemporaryFolder) throws {
      var bytes = folder.bytes(file)
      let place = bytes.count / 2
      bytes[place] ^= 1
      try Data(bytes).write(to: folder.url.appendingPathComponent(file))
    }

    @Test("one dump gives the report of its read, as text and as JSON", arguments: ["dump", "dump.tessera"])
    func one(_ name: String) async throws {
      let folder = try TemporaryFolder()
      let arguments = ["passport", "read", "--virtual", "all", "--json", "--out", folder.file(name)]
      let read = try json(try await ProgramRun.tessera(arguments).output)
      let verified = try await ProgramRun.tessera(["passport", "verify", "--virtual", "--json", folder.file(name)])
      #expect(verified.status == 0 && verified.errors.isEmpty)
      let report = try json(verified.output)
      for key in ["document", "accessControl", "files", "omissions", "checks", "outcome", "findings", "transport"] {
        #expect(report[key] != nil && report[key] == read[key], "\(key)")
      }
      #expect(report["dump"] == nil && report["outcome"] == "genuine")
      // The private keys of the test country are public.
      let unproved = try json(try await ProgramRun.tessera(["passport", "verify", "--json", folder.file(name)]).output)
      #expect(unproved["outcome"] == "notEstablished" && unproved["checks"] == read["checks"])
      let text = try await ProgramRun.tessera(["passport", "verify", folder.file(name)])
      #expect(text.status == 0 && text.output.contains("active.authentication") && text.output.contains("SPECIMEN"))
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name))
      #expect(attributes[.posixPermissions] as? Int == (name == "dump" ? 0o700 : 0o600))
    }

    @Test("several dumps give one line each, in the order of the arguments, with the errors")
    func several() async throws {
      let folder = try await read("b", "a", "c.tessera")
      try change("a/DG2.bin", in: folder)
      let paths = ["b", "none", "c.tessera", "a"].map(folder.file)
      let run = try await ProgramRun.tessera(["passport", "verify", "--json"] + paths)
      #expect(run.status == 5)
      let lines = try run.output.split(separator: "\n").map { try json(String($0)) }
      #expect(lines.map { $0["dump"]?.stringValue } == paths)
      #expect(lines[0]["outcome"] != nil && lines[1]["error"]?["code"] == "usage" && lines[1]["outcome"] == nil)
      guard case .array(let findings)? = lines[3]["findings"] else {
        Issue.record("there are no findings")
        return
      }
      #expect(findings.map { $0["id"] } == ["dump.modified"])
      let text = try await ProgramRun.tessera(["passport", "verify"] + paths)
      let rows = text.output.split(separator: "\n")
      #expect(text.status == 5 && rows.count == 4 && !text.output.contains("SPECIMEN"))
      #expect(rows[1].hasPrefix("!!") && rows[1].contains("cannot be read"))
      #expect(try await ProgramRun.tessera(["passport", "verify", paths[0], paths[1]]).status == 2)
      #expect(try await ProgramRun.tessera(["passport", "verify", paths[0], paths[2]]).status == 0)
    }

    @Test("a folder of many dumps is verified in order")
    func folder() async throws {
      let folder = try await read("first", profile: "open")
      for number in 100..<160 {
        try FileManager.default.copyItem(atPath: folder.file("first"), toPath: folder.file("\(number)"))
      }
      let run = try await ProgramRun.tessera(["passport", "verify", "--json", folder.url.path])
      let paths = try run.output.split(separator: "\n").map { try json(String($0))["dump"]?.stringValue ?? "" }
      #expect(run.status == 0 && paths == ((100..<160).map { "\($0)" } + ["first"]).map(folder.file))
    }

    @Test("--at and --challenge")
    func options() async throws {
      let folder = try await read("dump")
      func verify(_ options: String...) async throws -> ProgramRun {
        try await ProgramRun.tessera(["passport", "verify", "--json", folder.file("dump")] + options)
      }
      let late = try await verify("--at", "2040-02-29")
      let time = try json(late.output)["verifiedAt"]
      #expect(late.status == 5 && time == "2040-02-29T23:59:59Z")
      #expect(try await verify("--at", "2030-01-01T00:00:00+02:00").status == 0)
      let readAt = try #require(try json(try await verify().output)["readAt"]?.stringValue?.prefix(10))
      for (options, expected) in [
        ([], "Verified as of \(readAt) (time of the read)."), (["--at", "2030-01-01"], "Verified as of 2030-01-01."),
      ] {
        let text = try await ProgramRun.tessera(["passport", "verify", folder.file("dump")] + options)
        #expect(text.output.contains("\n\(expected)\n"))
      }
      let line = try await ProgramRun.tessera(["passport", "verify", "--at", "2030-01-01", folder.url.path])
      #expect(line.output.contains("not established as of 2030-01-01  "))
      let evidence = try json(String(decoding: folder.bytes("dump/evidence.json"), as: UTF8.self))
      let challenge = try #require(evidence["activeAuthentication"]?["challenge"]?.stringValue)
      #expect(try await verify("--challenge", challenge.lowercased()).status == 0)
      let other = try await verify("--challenge", String(challenge.reversed()))
      #expect(other.status == 5 && other.output.contains("another challenge"))
      for wrong in [
        ["--at", "2030-02-30"], ["--at", "tomorrow"], ["--challenge", "00"], ["--challenge", "0011223344556677AA"],
      ] {
        let run = try await ProgramRun.tessera(["passport", "verify", folder.file("dump")] + wrong)
        #expect(run.status == 2 && run.errors.contains(wrong[0]), "\(wrong)")
      }
    }

    @Test("a changed manifest or evidence is an error of its own, with exit status 5")
    func modified() async throws {
      for name in ["manifest.json", "evidence.json"] {
        let folder = try await read("dump")
        try change("dump/\(name)", in: folder)
        let run = try await ProgramRun.tessera(["passport", "verify", "--json", folder.file("dump")])
        #expect(run.status == 5 && run.errors.contains("\(name) was changed"))
        #expect(try json(run.output)["error"]?["details"]?["file"] == .string(name))
      }
    }
  }
}
