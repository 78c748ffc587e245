import Foundation
import TrustedPlatform

/// The TPM 2.0: whether there is one and this user may open it. It is not talked to.
struct TPMExamination: Examination {
  let title = "TPM"

  func findings() async -> [Finding] {
    switch TrustedPlatformModule.obstacle() {
    case nil: [transport]
    case .noAnswer(let interface):
      [information("tpm.elsewhere", "The environment names another one, \(interface), which is not looked at.")]
    case .noDevice(let path): [absence(path)]
    case .accessDenied(let path): [refusal(path)]
    }
  }

  /// The library that talks to the kernel's device is loaded by its name when a key is used first.
  private var transport: Finding {
    guard let library = dlopen("libtss2-tcti-device.so.0", RTLD_LAZY | RTLD_LOCAL) else {
      return problem(
        "tpm.library", "This user may open the TPM, and the TSS's library for it is not installed.",
        remedy: "Install the library.", command: RootCommand.line([.run("apt-get install -y libtss2-tcti-device0")]))
    }
    dlclose(library)
    return ok("tpm", "This user may open the TPM 2.0.")
  }

  private func absence(_ path: String) -> Finding {
    guard access("/dev/tpm0", F_OK) != 0 else {
      return information("tpm.old", "The machine's TPM is a 1.2: \(path) does not exist. Keys can live in the others.")
    }
    return information(
      "tpm.none", "The machine has no TPM 2.0: \(path) does not exist. Keys can live in the other stores.",
      remedy: "Switch it on in the firmware (fTPM, PTT) if the machine has one.")
  }

  private func refusal(_ path: String) -> Finding {
    let cause = "This user may not open \(path)."
    var status = stat()
    guard stat(path, &status) == 0, let group = Account.groupName(status.st_gid),
      status.st_gid != 0, status.st_mode & 0o060 == 0o060
    else {
      return problem(
        "tpm.rules", "\(cause) It is root's alone: the rules of the package tpm-udev have not been applied.",
        remedy: "Install the rules, apply them and join the group; log in again after that.",
        command: RootCommand.line([
          .run("apt-get install -y tpm-udev"), .run("udevadm trigger --subsystem-match=tpmrm"),
          .run("usermod -aG tss \(Shell.word(Account.name))"),
        ]))
    }
    guard !Account.isListed(in: status.st_gid) else {
      return problem(
        "tpm.access", "\(cause) The user is in its group \(group), and this session began before that.",
        remedy: "Log in again, or begin a shell that has the group.", command: "newgrp \(Shell.word(group))")
    }
    return problem(
      "tpm.access", "\(cause) Its group is \(group).", remedy: "Join the group, and log in again.",
      command: RootCommand.line([.run("usermod -aG \(Shell.word(group)) \(Shell.word(Account.name))")]))
  }
}
