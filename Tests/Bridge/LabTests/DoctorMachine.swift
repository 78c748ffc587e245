import Foundation
import LabDevices
import TesseraCore
import TestSupport
import Testing

/// The suites that change the machine's udev rules and its pcscd, one after the other.
@Suite("The doctor and udev rules in the virtual machine", .serialized, .enabled(if: VirtualMachine.isInside))
enum DoctorSuites {}

/// The virtual machine for the doctor's tests: a replacement of systemctl for pcscd, the kernel's modules in modprobe's
/// folder, and functions that remove and install Tessera's udev rules.
final class DoctorMachine: Sendable {
  let machine: PrivateMachine
  private static let number = "/run/lab-pcscd.pid"
  private static let rules = "/etc/udev/rules.d"

  init() async throws {
    machine = try await PrivateMachine(seesDaemons: true)
    // "restart" and "stop" of pcscd's unit. The daemon inherits no descriptors.
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
    // The doctor takes this folder as a sign of a running systemd.
    try await machine.prepare("mkdir -p /run/systemd/system")
    try await machine.prepare("mkdir -p /lib/modules && mount --bind \(kernel) /lib/modules")
  }

  func restartService() async throws { try await machine.prepare("systemctl restart pcscd.service") }
  func stopService() async throws { try await machine.prepare("systemctl stop pcscd.service") }

  /// Removes the rules. They do not apply to devices that are plugged in afterwards.
  func removeRules() async throws {
    try await machine.prepare("rm -f \(Self.rules)/70-tessera-*.rules && udevadm control --reload && udevadm settle")
  }

  /// Installs the rules of the working copy.
  func restoreRules() async throws {
    let folder = Fixtures.tests.deletingLastPathComponent().appendingPathComponent("udev").path
    try await machine.prepare("cp \(folder)/*.rules \(Self.rules)/ && udevadm control --reload && udevadm settle")
  }

  /// Runs the doctor after udev has processed its events. A run takes a second or two here, so use one for all
  /// expectations of a situation.
  func report(isNobody: Bool = false) async throws -> DoctorReport {
    try await machine.prepare("udevadm settle")
    return try await machine.doctor(isNobody: isNobody)
  }

  /// Runs the doctor and returns the finding about a reader.
  func reader(_ words: String, isNobody: Bool = false) async throws -> DoctorReport.Finding {
    try await report(isNobody: isNobody).reader(words)
  }
}

extension DoctorReport {
  /// The only finding about a reader whose title contains these words; an error if there is none or more than one.
  func reader(_ words: String) throws -> Finding {
    let findings = about("reader").filter { $0.title.contains(words) }
    guard findings.count == 1 else { throw Failure(.noReader, "\(findings.count) findings about \(words)") }
    return findings[0]
  }
}
