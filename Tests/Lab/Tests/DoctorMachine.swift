import Failures
import Foundation
import LabDevices
import TestSupport
import Testing

/// What changes the machine's udev rules and its pcscd: one after another.
@Suite("The doctor and udev's rules in the machine", .serialized, .enabled(if: VirtualMachine.isInside))
enum DoctorSuites {}

/// What the doctor's tests need of the virtual machine beside its devices: somebody who does what systemd does for
/// pcscd, the kernel's modules where modprobe looks for them, and a way to be without Tessera's udev rules.
final class DoctorMachine: Sendable {
  let machine: PrivateMachine
  private static let number = "/run/lab-pcscd.pid"
  private static let rules = "/etc/udev/rules.d"

  init() async throws {
    machine = try await PrivateMachine(seesDaemons: true)
    // "restart" and "stop" of pcscd's unit. What it starts keeps nothing that it inherits.
    try machine.install(
      "systemctl",
      """
      #!/bin/bash
      case $1 in restart | stop) ;; *) exit 1 ;; esac
      if [ -e \(Self.number) ]; then
        kill -KILL $(cat \(Self.number))
        while kill -0 $(cat \(Self.number)); do sleep 0.05; done
        rm -f /run/pcscd/* \(Self.number)
      fi 2> /dev/null
      [ $1 = stop ] && exit
      mkdir -p /run/pcscd
      for number in $(seq 3 40); do eval "exec $number>&-"; done
      setsid sh -c '/usr/sbin/pcscd --foreground & echo $! > \(Self.number)' < /dev/null > /dev/null 2>&1
      while ! [ -e /run/pcscd/pcscd.comm ]; do sleep 0.05; done
      # It looks for readers after that.
      sleep 1
      """)
    let kernel = Fixtures.tests.deletingLastPathComponent().appendingPathComponent(".build/lab/kernel/lib/modules").path
    // Somebody has booted it, as far as the doctor can see.
    try await machine.prepare("mkdir -p /run/systemd/system")
    try await machine.prepare("mkdir -p /lib/modules && mount --bind \(kernel) /lib/modules")
  }

  func restartService() async throws { try await machine.prepare("systemctl restart pcscd.service") }
  func stopService() async throws { try await machine.prepare("systemctl stop pcscd.service") }

  /// Takes the rules away; what is plugged in from now on has none.
  func removeRules() async throws {
    try await machine.prepare("rm -f \(Self.rules)/70-tessera-*.rules && udevadm control --reload && udevadm settle")
  }

  /// Puts those of the working copy back.
  func restoreRules() async throws {
    let folder = Fixtures.tests.deletingLastPathComponent().appendingPathComponent("udev").path
    try await machine.prepare("cp \(folder)/*.rules \(Self.rules)/ && udevadm control --reload && udevadm settle")
  }

  /// What the doctor finds once udev has done its part. A look costs a second or two here, so take one for all that is
  /// to be known of a situation.
  func look(isNobody: Bool = false) async throws -> DoctorReport {
    try await machine.prepare("udevadm settle")
    return try await machine.doctor(isNobody: isNobody)
  }

  /// The finding about a reader, of a new look.
  func reader(_ words: String, isNobody: Bool = false) async throws -> DoctorReport.Finding {
    try await look(isNobody: isNobody).reader(words)
  }
}

extension DoctorReport {
  /// The only finding about a reader whose title has these words in it; an error where there is none or are more.
  func reader(_ words: String) throws -> Finding {
    let findings = about("reader").filter { $0.title.contains(words) }
    guard findings.count == 1 else { throw Failure(.noReader, "\(findings.count) findings about \(words)") }
    return findings[0]
  }
}
