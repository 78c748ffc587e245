import Foundation
import PassportTestSupport
import Tessera
import TestSupport
import Testing

extension RealPrograms {
  /// The chip profiles with the program.
  @Suite("tessera with every chip profile")
  struct ProfileCommandTests {
    @Test("--virtual reads each valid profile, and --json matches the table", arguments: ProfileRow.representatives)
    func read(_ row: ProfileRow) async throws {
      let run = try await ProgramRun.tessera(["passport", "read", "--virtual", row.name, "--json"])
      #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
      try Self.expect(row, run, access: row.access)
    }

    /// Checks that the output matches the row.
    static func expect(_ row: ProfileRow, _ run: ProgramRun, access: ProfileRow.Access) throws {
      let report = try json(run.output)
      let accessControl = try #require(report["accessControl"])
      for key in ["protocol", "oid", "mapping", "cipher", "parameterId"] {
        #expect(accessControl[key] != nil, "\(key)")
      }
      var parameters: Int?
      if case .integer(let number)? = accessControl["parameterId"] { parameters = Int(number) }
      #expect(
        ProfileRow.Access(
          protocol: accessControl["protocol"]?.stringValue ?? "", oid: accessControl["oid"]?.stringValue,
          mapping: accessControl["mapping"]?.stringValue, cipher: accessControl["cipher"]?.stringValue,
          parameterId: parameters) == access, "\(row)")
      // The reason for the choice of PACE parameters.
      #expect((accessControl["reason"]?.stringValue?.isEmpty == false) == (access.protocol == "PACE"))
      guard case .array(let checks)? = report["checks"] else {
        Issue.record("there are no checks")
        return
      }
      let statuses = checks.map {
        ProfileRow.Check(id: $0["id"]?.stringValue ?? "", status: $0["status"]?.stringValue ?? "")
      }
      #expect(statuses == row.checks, "\(row): \(checks)")
    }

    @Test("each faulty profile ends with its exit status and message", arguments: FaultRow.representatives)
    func fault(_ row: FaultRow) async throws {
      let key = row.cardAccessNumber.map { ["--can", $0] } ?? []
      let run = try await ProgramRun.tessera(["passport", "read", "--virtual", row.name, "--json"] + key)
      #expect(run.status == row.exitStatus, "\(run.errors)")
      let answer = try json(run.output)
      switch row.outcome {
      case .error(let kind, _, let words):
        #expect(run.errors.contains(words), "\(run.errors)")
        #expect(answer["error"]?["message"]?.stringValue?.contains(words) == true)
        #expect(answer["error"]?["code"]?.stringValue == kind.rawValue && answer["document"] == nil)
      case .report(let failed, let findings, let missing):
        func names(_ list: String, _ key: String, _ isIncluded: (JSONValue) -> Bool = { _ in true }) -> [String] {
          guard case .array(let entries)? = answer[list] else { return ["no \(list)"] }
          return entries.filter(isIncluded).compactMap { $0[key]?.stringValue }
        }
        #expect(names("checks", "id") { $0["status"] == "failed" } == failed)
        #expect(names("findings", "id") == findings)
        #expect(names("omissions", "name") == missing)
      }
    }

    @Test("as text: the first line reports a failed check or a missing file")
    func words() async throws {
      let clone = try await ProgramRun.tessera(["passport", "read", "--virtual", "fault-clone"])
      let first = clone.output.split(separator: "\n").first ?? ""
      #expect(first.contains("CHECK FAILED: chip.authentication, active.authentication"))
      #expect(clone.status == 5)
      let downgrade = try await ProgramRun.tessera(["passport", "read", "--virtual", "fault-parameters"])
      #expect(downgrade.status == 5 && downgrade.output.contains("access.downgrade"))
    }

    @Test("reads fingerprints and irises with --terminal and the files of `chip terminal`")
    func terminal() async throws {
      let folder = try TemporaryFolder()
      #expect(try await ProgramRun.tessera(["chip", "terminal", folder.file("rights")]).status == 0)
      let run = try await ProgramRun.tessera([
        "passport", "read", "--virtual", "all", "--json", "--terminal", folder.file("rights"),
      ])
      #expect(run.status == 0, "\(run.errors)")
      let report = try json(run.output)
      guard case .array(let checks)? = report["checks"], case .array(let files)? = report["files"] else {
        Issue.record("there are no checks or files")
        return
      }
      #expect(checks.first { $0["id"] == "terminal.authentication" }?["status"] == "passed")
      let names = files.compactMap { $0["name"]?.stringValue }
      #expect(names.contains("DG3") && names.contains("DG4"))
    }
  }
}

/// One lab per suite: starting pcscd is expensive.
struct SharedLab: SuiteTrait, TestScoping {
  @TaskLocal static var lab: SmartCardLab?

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let lab = try await SmartCardLab()
    defer { lab.stop() }
    try await Self.$lab.withValue(lab) { try await function() }
  }
}

extension RealPrograms.AsRoot {
  /// The same with a real pcscd and vpcd; chip and reader are separate programs.
  @Suite(
    "Every profile with a real pcscd", .serialized,
    .enabled(if: SmartCardLab.isEnabled, "\(SmartCardLab.unavailableReason ?? "")"), SharedLab())
  struct ProfileLabTests {
    @Test(
      "every file byte for byte, the access control of the table, the status of every check",
      arguments: ProfileRow.representatives)
    func read(_ row: ProfileRow) async throws {
      let lab = try #require(SharedLab.lab)
      let profile = try #require(ChipProfile(named: row.name))
      let folder = try TemporaryFolder()
      let document = try SpecimenDocument(profile: profile)
      let files = document.files
      try Self.write(files, to: folder.file("chip"))
      try Self.write(document.country, to: folder.file("country"))
      let chip = try await lab.insertChip(["--profile", row.name, "--files", folder.file("chip")])
      let zone = try #require(try files[.dg1].map(DataGroup1.init)).zone.get()
      let run = try await lab.tessera([
        "passport", "read", "--json", "--out", folder.file("dump"), "--mrz", zone.text, "--trust",
        folder.file("country"),
      ])
      try await lab.remove(chip)
      #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
      try RealPrograms.ProfileCommandTests.expect(row, run, access: row.access)
      #expect(try json(run.output)["transport"]?["reader"] == "Tessera Lab 00 00")
      for file in files.all where !file.needsTerminalAuthentication {
        #expect(folder.bytes("dump/\(file.name).bin") == files[file], "\(file.name)")
      }
      #expect(folder.bytes("dump/EF.CardAccess.bin").isEmpty == profile.pace.isEmpty)
      if row.access.mapping == "CAM" {
        #expect(folder.bytes("dump/EF.CardSecurity.bin") == files.masterFiles[.cardSecurity])
      }
    }

    /// A folder for `--trust`.
    static func write(_ country: TestCountry, to folder: String) throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let published = (country.countrySigners + country.documentSigners).map(\.der) + country.revocationLists
      for (number, bytes) in published.enumerated() {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(number).der"))
      }
    }

    /// A folder that `tessera chip run --files` serves.
    static func write(_ files: ChipFiles, to folder: String) throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for file in files.all {
        try Data(files[file] ?? []).write(to: URL(fileURLWithPath: "\(folder)/\(file.name).bin"))
      }
      for (file, bytes) in files.masterFiles {
        try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(file.name.replacing("/", with: "-")).bin"))
      }
    }
  }
}
