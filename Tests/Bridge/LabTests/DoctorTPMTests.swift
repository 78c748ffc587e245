import Foundation
import TestSupport
import Testing

extension DoctorSuites {
  /// A TPM with the kernel's driver and resource manager: swtpm behind `tpm_vtpm_proxy`.
  @Suite("The doctor and the TPM")
  struct TPM {
    private static let device = "/dev/tpmrm0"

    @Test("reports a missing TPM, missing permissions, a session without the new group, and a missing library")
    func access() async throws {
      let lab = try await DoctorMachine()
      let none = try await tpm(lab)
      #expect(none.id == "tpm.none" && none.status == "information")

      try await lab.machine.prepare("mkdir $LAB/tpm")
      let swtpm = try await Self.startTPM(lab)
      defer { swtpm.send(signal: SIGKILL) }
      try await lab.machine.prepare("udevadm settle")
      #expect(try await tpm(lab).status == "ok")

      // The permissions of the package tpm-udev.
      #expect(try await lab.machine.run("stat -c '%G %a' \(Self.device)").output == "tss 660\n")
      let refused = try await tpm(lab, isNobody: true)
      #expect(refused.id == "tpm.access" && refused.status == "problem")
      #expect(refused.command == "sudo usermod -aG tss nobody")
      try await lab.machine.applyRemedy(of: refused)
      // The test's user still has no groups, like a session from before the change.
      let stale = try await tpm(lab, isNobody: true)
      #expect(stale.id == "tpm.access" && stale.command == "newgrp tss")
      let newSession = try await lab.machine.run(
        "setpriv --reuid=nobody --regid=nogroup --init-groups -- $LAB/bin/tessera doctor --json")
      #expect(try DoctorReport(newSession).about("tpm").map(\.status) == ["ok"])

      // The permissions without that package's rules.
      try await lab.machine.prepare("chown root:root \(Self.device) && chmod 0600 \(Self.device)")
      let rootsOwn = try await tpm(lab, isNobody: true)
      #expect(rootsOwn.id == "tpm.rules" && rootsOwn.command?.hasPrefix("sudo apt-get install -y tpm-udev && ") == true)

      // Without the TCTI library.
      let library = try await lab.machine.run("ls /usr/lib/*/libtss2-tcti-device.so.0").output
        .trimmingCharacters(in: .whitespacesAndNewlines)
      try await lab.machine.prepare("mount --bind /dev/null \(library)")
      let missing = try await tpm(lab)
      #expect(missing.id == "tpm.library" && missing.command == "apt-get install -y libtss2-tcti-device0")
      try await lab.machine.prepare("umount \(library)")
      try await signing(lab)
    }

    /// Retries, because the kernel rejects a TPM that answers its first commands too slowly, as on a busy host.
    private static func startTPM(_ lab: DoctorMachine) async throws -> RunningProgram {
      for _ in 0..<4 {
        let swtpm = try lab.machine.start("exec swtpm chardev --vtpm-proxy --tpm2 --tpmstate dir=$LAB/tpm")
        if (try? await lab.machine.waitForFile(device, looks: 500)) != nil { return swtpm }
        swtpm.send(signal: SIGKILL)
        let ended = await swtpm.finish()
        print("The kernel did not accept the TPM; swtpm says: \(ended.errors)")
      }
      let swtpm = try lab.machine.start("exec swtpm chardev --vtpm-proxy --tpm2 --tpmstate dir=$LAB/tpm")
      try await lab.machine.waitForFile(device)
      return swtpm
    }

    /// Signs with the key store on this device, and verifies with OpenSSL.
    private func signing(_ lab: DoctorMachine) async throws {
      let environment = ["XDG_DATA_HOME": lab.machine.folder.file("data")]
      try await lab.machine.prepare(
        """
        cd $LAB && tessera key generate lab --store tpm2 && echo hello > message &&
        tessera key sign lab message --store tpm2 -o signature && tessera key public lab --store tpm2 > key.pem &&
        openssl dgst -sha256 -verify key.pem -signature signature message
        """, environment: environment)
    }

    private func tpm(_ lab: DoctorMachine, isNobody: Bool = false) async throws -> DoctorReport.Finding {
      let findings = try await lab.machine.doctor(isNobody: isNobody).about("tpm")
      #expect(findings.count == 1)
      return try #require(findings.first)
    }
  }
}
