import Foundation
import TestSupport
import Testing

@testable import TesseraDoctor

@Suite("The steps of tessera setup")
struct SetupPlanTests {
  private static let restart = RootCommand.run("systemctl restart pcscd")

  private func finding(_ id: String, _ correction: Correction?) -> Finding {
    Finding(id, .problem, title: id, cause: "Something is wrong.", remedy: "Correct it.", correction: correction)
  }

  @Test("all packages are installed by one step, which comes first")
  func packages() {
    let plan = SetupPlan([
      finding("a", .root([Self.restart])), finding("b", .root([.install(["libccid"]), .run("echo b")])),
      finding("c", .root([.install(["acl", "libccid"])], afterwards: "Log in again.")),
    ])
    #expect(
      plan.steps.map(\.action) == [
        .root([.install(["libccid", "acl"])]), .root([Self.restart]), .root([.run("echo b")]),
      ])
    #expect(plan.steps.map(\.needsPackages) == [false, false, true])
    #expect(plan.steps.map { $0.findings.map(\.id) } == [["b", "c"], ["a"], ["b"]])
    #expect(plan.steps.map(\.afterwards) == [["Log in again."], [], []])
  }

  @Test("a command of several findings is one step")
  func once() {
    let plan = SetupPlan([
      finding("a", .root([Self.restart])), finding("b", .root([Self.restart])), finding("c", .user("true")),
      finding("d", .root([.install(["libccid"]), Self.restart])),
    ])
    let restarts = plan.steps.filter { $0.action == .root([Self.restart]) }
    #expect(restarts.map { $0.findings.map(\.id) } == [["a", "b", "d"]])
    #expect(restarts.first?.needsPackages == false, "two of the findings need no package")
    #expect(plan.steps.count == 3)
  }

  @Test("an optional installation is apart and last; a finding without a correction has no step")
  func optional() {
    let plan = SetupPlan([
      finding("a", .root([.install(["fprintd"])], isOptional: true)), finding("b", nil),
      finding("c", .root([.install(["pcscd"])])),
    ])
    #expect(plan.steps.map(\.packages) == [["pcscd"], ["fprintd"]])
    #expect(plan.steps.map(\.isOptional) == [false, true])
  }

  @Test("apt-get asks nothing, and updates its lists before the first installation only")
  func commands() throws {
    let step = try #require(SetupPlan([finding("a", .root([.install(["pcscd", "libccid"])]))]).steps.first)
    let apt = "env DEBIAN_FRONTEND=noninteractive apt-get"
    #expect(
      step.line(.isRoot, updatesLists: true) == "{ \(apt) update || true; } && \(apt) install -y pcscd libccid")
    #expect(step.line(.sudo, updatesLists: false) == "sudo \(apt) install -y pcscd libccid")
    #expect(step.line(.su, updatesLists: false) == "su - -c '\(apt) install -y pcscd libccid'")
    #expect(step.line(.pkexec, updatesLists: false) == "pkexec /bin/sh -c '\(apt) install -y pcscd libccid'")
  }

  @Test("only the writing of a file runs as root, not the command whose output it is")
  func file() throws {
    let step = try #require(SetupPlan([finding("a", .root([.write("echo a", to: "/etc/a")]))]).steps.first)
    #expect(
      step.line(.sudo, updatesLists: true)
        == #"text=$(echo a) && printf '%s\n' "$text" | sudo tee /etc/a > /dev/null"#)
  }

  @Test("the doctor prints the command of a correction without what setup adds")
  func printed() {
    let found = finding("a", .root([.install(["pcscd", "libccid"])]))
    #expect(found.command == RootCommand.line([.run("apt-get install -y pcscd libccid")]))
  }
}
