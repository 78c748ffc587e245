import Glibc
import TesseraTPM

/// Checks that a TPM 2.0 exists and that this user may open it. Sends no command to it.
struct TPMCheck: DiagnosticCheck {
  let title = "TPM"

  func findings() async -> [Finding] {
    switch TrustedPlatformModule.unavailability() {
    case nil: [transport]
    case .noResponse(let interface):
      [information("tpm.elsewhere", "The environment selects another TPM, \(interface), which is not checked.")]
    case .noDevice(let path): [absence(path)]
    case .accessDenied(let path): [refusal(path)]
    }
  }

  /// Checks the library for the kernel's TPM device. The TSS loads it by name at the first use of a key.
  private var transport: Finding {
    guard let library = dlopen("libtss2-tcti-device.so.0", RTLD_LAZY | RTLD_LOCAL) else {
      return problem(
        "tpm.library", "This user may open the TPM, but the TSS library for it is not installed.",
        remedy: "Install the library.", correction: .root([.install(["libtss2-tcti-device0"])]))
    }
    dlclose(library)
    return ok("tpm", "This user may open the TPM 2.0.")
  }

  private func absence(_ path: String) -> Finding {
    guard access("/dev/tpm0", F_OK) != 0 else {
      return information("tpm.old", "The TPM is version 1.2: \(path) does not exist. Use another key store.")
    }
    return information(
      "tpm.none", "No TPM 2.0 was found: \(path) does not exist. Use another key store.",
      remedy: "If the machine has one, enable it in the firmware settings (fTPM, PTT).")
  }

  private func refusal(_ path: String) -> Finding {
    let cause = "This user has no permission to open \(path)."
    var status = stat()
    guard stat(path, &status) == 0, let group = Account.groupName(status.st_gid),
      status.st_gid != 0, status.st_mode & 0o060 == 0o060
    else {
      return problem(
        "tpm.rules", "\(cause) Only root has: the udev rules of the package tpm-udev are not applied.",
        remedy: "Install and apply the rules, add this user to the group tss, and log in again.",
        correction: .root(
          [
            .install(["tpm-udev"]), .run("udevadm trigger --subsystem-match=tpmrm"),
            .run("usermod -aG tss \(Shell.word(Account.name))"),
          ], afterwards: Correction.newLogin))
    }
    guard !Account.isListed(in: status.st_gid) else {
      return problem(
        "tpm.access", "\(cause) The user is a member of its group \(group), but this session started before that.",
        remedy: "Log in again, or start a shell with the group.", command: "newgrp \(Shell.word(group))")
    }
    return problem(
      "tpm.access", "\(cause) Its group is \(group).", remedy: "Add this user to the group, and log in again.",
      correction: .root(
        [.run("usermod -aG \(Shell.word(group)) \(Shell.word(Account.name))")], afterwards: Correction.newLogin))
  }
}
