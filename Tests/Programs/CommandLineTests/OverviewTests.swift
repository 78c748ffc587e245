import Foundation
import Tessera
import TesseraSmartCard
import TestSupport
import Testing

@testable import TesseraCLI
@testable import TesseraDoctor
@testable import TesseraReaders

extension RealPrograms {
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
      #expect(NextCommand(readers: [.document, .document], findings: []).command == "tessera readers")
      #expect(NextCommand(readers: [.document, .unusable, .contact], findings: []).command == "tessera passport read")
    }

    @Test("a contact reader reads no passport")
    func contact() {
      let found = Finding("reader", .ok, title: "Reader", cause: "pcscd lists it.")
      let next = NextCommand(readers: [.contact], findings: [found])
      #expect(next.command == "tessera demo" && next.reason.hasPrefix("No contactless reader is connected."))
      #expect(NextCommand(readers: [.contact, .free], findings: [found]).command == "tessera passport read")
      #expect(NextCommand(readers: [.contact, .unusable], findings: [found]).command == "tessera doctor")
      #expect(NextCommand(readers: [.contact], findings: [found, Self.claimed]).command == "tessera setup")
    }

    @Test("readers that do not answer are not absent")
    func late() {
      let service = Doctor.unanswered(PCSCServiceCheck(), within: .seconds(1))
      let readers = Doctor.unanswered(ReaderCheck(), within: .seconds(1))
      for findings in [[service, Self.driverless], [service, readers], [readers]] {
        #expect(NextCommand(readers: [], findings: findings).command == "tessera doctor")
      }
      #expect(NextCommand(readers: [], findings: [service, Self.claimed]).command == "tessera setup")
      #expect(NextCommand(readers: [], findings: [service, Self.none]).command == "tessera demo")
      #expect(NextCommand(readers: [.free], findings: [service, readers]).command == "tessera passport read")
    }

    @Test("what a reader can be used for")
    func uses() {
      let chip = AnswerToReset.contactless(historicalBytes: [0x80])
      let storageCard = AnswerToReset.contactless(historicalBytes: [0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06])
      func use(_ card: AnswerToReset?, isInUse: Bool = false) -> ReaderState.Use {
        ReaderState(CardReader(name: "A", card: card, isInUse: isInUse, eventState: 0)).use
      }
      #expect(use(chip) == .document)
      #expect(use(chip, isInUse: true) == .unusable)
      #expect(use(storageCard) == .free)
      #expect(use(AnswerToReset([0x3B, 0x65, 0x00, 0x00, 0x9C, 0x02, 0x02, 0x07, 0x02])) == .contact)
      #expect(use(nil) == .free)
    }

    @Test("looks at the devices on a terminal, and does not print the help")
    func terminal() async throws {
      let look = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/script"), ["-qec", ProgramRun.tessera.path, "/dev/null"],
        environment: ["TERM": "xterm", "NO_COLOR": "1"]
      ).finish(within: 120)
      #expect(look.output.contains("`tessera --help` lists all commands."), "\(look.output)")
      #expect(!look.output.contains("SUBCOMMANDS:"))
    }
  }
}
