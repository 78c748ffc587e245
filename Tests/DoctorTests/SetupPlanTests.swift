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
      step.line(.isRoot, updatesLists: true, invoker: nil) == "\(apt) update && \(apt) install -y pcscd libccid")
    #expect(step.line(.sudo, updatesLists: false, invoker: nil) == "sudo \(apt) install -y pcscd libccid")
    #expect(step.line(.su, updatesLists: false, invoker: nil) == "su - -c '\(apt) install -y pcscd libccid'")
    #expect(
      step.line(.pkexec, updatesLists: false, invoker: nil) == "pkexec /bin/sh -c '\(apt) install -y pcscd libccid'")
  }

  @Test("a command for the user's own things runs as the account that called root")
  func invoker() throws {
    let step = try #require(SetupPlan([finding("a", .user("touch \"$HOME/a\""))]).steps.first)
    #expect(step.line(.sudo, updatesLists: true, invoker: nil) == "touch \"$HOME/a\"")
    #expect(
      step.line(.isRoot, updatesLists: true, invoker: "alice")
        == "runuser -u alice -- /bin/sh -c 'touch \"$HOME/a\"'")
  }

  @Test("the doctor prints the command of a correction without what setup adds")
  func printed() {
    let found = finding("a", .root([.install(["pcscd", "libccid"])]))
    #expect(found.command == RootCommand.line([.run("apt-get install -y pcscd libccid")]))
  }
}
