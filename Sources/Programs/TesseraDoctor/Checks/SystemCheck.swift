import Glibc

/// Reports the facts that a bug report needs: the kernel, the versions of the system packages, and whether root runs
/// the doctor.
struct SystemCheck: DiagnosticCheck {
  let title = "System"

  private static let packages = [
    "pcscd", "libccid", "libnfc6", "libevdev2", "libssl3", "libtss2-esys-3.0.2-0", "udev", "polkitd", "fprintd",
    "libfprint-2-2",
  ]

  func findings() async -> [Finding] {
    var name = utsname()
    uname(&name)
    let release = withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let versions = InstalledPackage.versions(of: Self.packages).map { "\($0.name) \($0.version)" }
    let versionFinding = information("system", (["Linux \(release)"] + versions).joined(separator: ", ") + ".")
    guard Account.isRoot else { return [versionFinding] }
    return [
      versionFinding,
      information(
        "system.root", "The doctor runs as root, who has access to everything.",
        remedy: "Run it as the user who will use the devices."),
    ]
  }
}
