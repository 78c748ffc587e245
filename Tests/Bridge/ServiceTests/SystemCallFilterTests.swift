import Foundation
import TestSupport
import Testing

@testable import TesseraService

extension RealPrograms {
  @Suite("The unit's system calls")
  struct SystemCallFilterTests {
    static let analyze = "/usr/bin/systemd-analyze"

    /// What `CTesseraBarcodes` calls to start, limit and end the process in which libzxing reads barcodes.
    static let barcodes = [
      "clone", "close", "close_range", "dup2", "exit_group", "getppid", "kill", "mmap", "munmap", "openat",
      "pidfd_open",
      "pidfd_send_signal", "poll", "prctl", "prlimit64", "read", "rt_sigaction", "rt_sigprocmask", "sendto",
      "socketpair", "waitid", "write",
    ]

    @Test(
      "the filter permits the process that reads barcodes",
      .enabled(if: FileManager.default.isExecutableFile(atPath: analyze), "systemd-analyze is missing"))
    func process() async throws {
      let unit = try ServiceUnits(
        program: "/bin/tessera", arguments: [], writableFolders: [], startsWithSession: false
      ).service
      let group = try #require(unit.split(separator: "\n").first { $0.hasPrefix("SystemCallFilter=") }?.dropFirst(17))
      let run = try await RunningProgram(
        URL(fileURLWithPath: Self.analyze), ["syscall-filter", "--no-pager"]
      ).finish()
      #expect(run.status == 0, "\(run.errors)")
      var calls = ["@default", String(group)]
      var permitted: Set<String> = []
      let groups = Self.groups(run.output)
      while let name = calls.popLast() {
        if permitted.insert(name).inserted, name.hasPrefix("@") { calls += groups[name] ?? [] }
      }
      #expect(permitted.count > 200)
      #expect(Self.barcodes.filter { !permitted.contains($0) } == [])
      // No limit of processes or of the address space, which the process sets for itself.
      for setting in ["TasksMax=", "LimitNPROC=", "LimitAS=", "ProcSubset="] { #expect(!unit.contains(setting)) }
    }

    /// The names below each group's, which are indented.
    private static func groups(_ text: String) -> [String: [String]] {
      var groups: [String: [String]] = [:]
      var name = ""
      for line in text.split(separator: "\n") {
        let word = line.trimmingCharacters(in: .whitespaces)
        if line.hasPrefix("@") { name = word } else if !word.hasPrefix("#") { groups[name, default: []].append(word) }
      }
      return groups
    }
  }
}
