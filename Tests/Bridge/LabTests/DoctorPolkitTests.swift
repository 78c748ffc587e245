import Foundation
import TesseraCore
import TestSupport
import Testing

/// A pcscd with the real polkitd on a private system bus. There are no sessions here, so polkit's defaults refuse every
/// user except root.
@Suite("The doctor and polkit", .serialized, .enabled(if: VirtualMachine.isInside))
struct PolkitTests {
  @Test("reports that polkit refuses a user; the command permits that user only")
  func refused() async throws {
    let lab = try await PolkitLab()
    defer { lab.stop() }
    let findings = try await lab.machine.doctor(isNobody: true).about("pcsc")
    #expect(findings.map(\.id) == ["pcsc.polkit"])
    let finding = try #require(findings.first)
    #expect(try await lab.machine.doctor().about("pcsc").map(\.id) == ["pcsc.service"], "root has access")
    let loads = lab.loads
    try await lab.machine.applyRemedy(of: finding)
    await lab.waitForRules(after: loads)
    #expect(try await lab.machine.doctor(isNobody: true).about("pcsc").map(\.id) == ["pcsc.service"])
    let other = try await lab.machine.run(
      "setpriv --reuid=daemon --regid=daemon --clear-groups -- $LAB/bin/tessera doctor --json")
    #expect(try DoctorReport(other).about("pcsc").map(\.id) == ["pcsc.polkit"])
  }

  @Test("reports that polkit permits the daemon and refuses cards")
  func cardsRefused() async throws {
    let lab = try await PolkitLab()
    defer { lab.stop() }
    var loads = lab.loads
    try await lab.machine.prepare(
      #"""
      echo 'polkit.addRule(function(action, subject) {
        if (action.id == "org.debian.pcsc-lite.access_pcsc") return polkit.Result.YES; });' > /etc/polkit-1/rules.d/50-lab.rules
      """#)
    await lab.waitForRules(after: loads)
    let findings = try await lab.machine.doctor(isNobody: true).about("pcsc")
    #expect(findings.map(\.id) == ["pcsc.polkit"])
    loads = lab.loads
    try await lab.machine.applyRemedy(of: try #require(findings.first))
    await lab.waitForRules(after: loads)
    #expect(try await lab.machine.doctor(isNobody: true).about("pcsc").map(\.id) == ["pcsc.service"])
  }

  @Test("reports that the daemon refuses every user, including root, without polkitd")
  func missing() async throws {
    let lab = try await PolkitLab(hasPolkit: false)
    defer { lab.stop() }
    for isNobody in [true, false] {
      let findings = try await lab.machine.doctor(isNobody: isNobody).about("pcsc")
      #expect(findings.map(\.id) == ["pcsc.polkitMissing"])
      #expect(findings.first?.command == (isNobody ? "sudo " : "") + "service dbus start")
    }
  }
}

/// A system bus, polkitd and a pcscd that was built with polkit.
private final class PolkitLab: Sendable {
  let machine: PrivateMachine
  private let daemons: [RunningProgram]
  private let polkit: RunningProgram?

  init(hasPolkit: Bool = true) async throws {
    let build = Fixtures.tests.deletingLastPathComponent().appendingPathComponent(".build/lab/pcscd-with-polkit").path
    guard FileManager.default.fileExists(atPath: build + "/pcscd") else {
      throw Failure(.serviceUnavailable, "There is no pcscd with polkit. Tests/Lab/run builds it.")
    }
    let machine = try await PrivateMachine()
    self.machine = machine
    let configuration = SystemBusConfiguration.text(socket: "/run/dbus/system_bus_socket")
    try configuration.write(toFile: machine.folder.file("bus.conf"), atomically: true, encoding: .utf8)
    // The folders of the package, the folders of logind that its clients watch, and the policy of the daemon.
    try await machine.prepare(
      """
      mkdir -p /run/dbus /run/systemd/seats /run/systemd/sessions /run/systemd/users /run/systemd/machines \
        $LAB/polkit/rules.d $LAB/readers &&
      cp -r /usr/share/polkit-1/actions $LAB/actions && cp \(build)/org.debian.pcsc-lite.policy $LAB/actions/ &&
      mount --bind $LAB/actions /usr/share/polkit-1/actions &&
      chown polkitd $LAB/polkit/rules.d && chmod 0700 $LAB/polkit/rules.d && mount --bind $LAB/polkit /etc/polkit-1
      """)
    let bus = try machine.start("exec dbus-daemon --config-file=$LAB/bus.conf --nofork --nopidfile --print-address")
    _ = await bus.wait { $0.output.contains("\n") || !$0.isRunning }
    polkit = hasPolkit ? try machine.start("exec /usr/lib/polkit-1/polkitd 2>&1") : nil
    if let polkit { _ = await polkit.wait { $0.output.contains("Acquired the name") || !$0.isRunning } }
    let pcscd = try machine.start("exec \(build)/pcscd --foreground -c $LAB/readers")
    daemons = [bus, pcscd] + [polkit].compactMap(\.self)
    try await machine.waitForFile("/run/pcscd/pcscd.comm")
    do {
      guard daemons.allSatisfy(\.isRunning), try await respond() else {
        throw Failure(.serviceUnavailable, "The daemons do not respond.")
      }
    } catch {
      stop()
      throw Failure(
        .serviceUnavailable, Failure(error).description + daemons.map { "\n" + $0.output + $0.errors }.joined())
    }
  }

  /// Waits for the first response. It can take an emulated machine longer than the doctor waits: the daemons read their
  /// files, and polkitd compiles its rules.
  private func respond() async throws -> Bool {
    for _ in 0..<30
    where try await machine.doctor(acceptsSilence: true).about("pcsc").map(\.id) != ["pcsc.silent"] { return true }
    return false
  }

  deinit { stop() }

  func stop() { for daemon in daemons { daemon.send(signal: SIGKILL) } }

  /// How often polkitd has loaded its rules. It does so after every change of a file, and logs it.
  var loads: Int { polkit?.output.ranges(of: "Finished loading").count ?? 0 }

  func waitForRules(after loads: Int) async { #expect(await polkit?.wait { _ in self.loads > loads } == true) }
}
