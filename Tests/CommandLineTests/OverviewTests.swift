import Foundation
import Tessera
import TestSupport
import Testing

@testable import TesseraCLI
@testable import TesseraDoctor

@Suite("tessera without a command")
struct OverviewTests {
  private static let claimed = Finding(
    "reader.kernelDriver", .problem, title: "Reader", cause: "Claimed.", remedy: "Unload it.",
    correction: .root([.run("modprobe -r pn533")]))
  private static let none = Finding("reader.none", .information, title: "Readers", cause: "None.")
  private static let noService = Finding(
    "pcsc.notInstalled", .problem, title: "PC/SC", cause: "Missing.", remedy: "Install it.",
    correction: .root([.install(["pcscd"])]))
  private static let driverless = Finding("reader", .information, title: "Reader", cause: "pcscd does not respond.")

  @Test("the next command is one that works here")
  func next() {
    #expect(NextCommand(readers: [.free, .document], findings: []).command == "tessera passport read")
    #expect(NextCommand(readers: [.free], findings: [Self.claimed]).command == "tessera passport read")
    #expect(NextCommand(readers: [], findings: [Self.none]).command == "tessera demo")
    #expect(NextCommand(readers: [], findings: [Self.none, Self.noService]).command == "tessera demo")
    #expect(NextCommand(readers: [], findings: [Self.claimed]).command == "tessera setup")
    #expect(NextCommand(readers: [], findings: [Self.driverless, Self.noService]).command == "tessera setup")
    #expect(NextCommand(readers: [.unusable], findings: []).command == "tessera doctor")
  }

  @Test("one object for scripts")
  func object() async throws {
    let run = try await ProgramRun.tessera(["--json"])
    #expect(run.status == 0, "\(run.errors)")
    let object = try JSONValue(text: run.output)
    #expect(object["next"]?["command"]?.stringValue?.hasPrefix("tessera ") == true)
    #expect(object["findings"] != nil && object["readers"] != nil)
  }

  @Test("prints the help without a terminal, and the look on one")
  func terminal() async throws {
    let help = try await ProgramRun.tessera([])
    #expect(help.status == 0 && help.output.contains("SUBCOMMANDS:"))
    let look = try await RunningProgram(
      URL(fileURLWithPath: "/usr/bin/script"), ["-qec", ProgramRun.tessera.path, "/dev/null"],
      environment: ["TERM": "xterm", "NO_COLOR": "1"]
    ).finish(within: 120)
    #expect(look.output.contains("`tessera --help` lists all commands."), "\(look.output)")
    #expect(!look.output.contains("SUBCOMMANDS:"))
  }
}
