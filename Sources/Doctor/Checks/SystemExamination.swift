import Foundation

/// What a report of a fault should name: the kernel, the versions of what Tessera stands on, and who asked.
struct SystemExamination: Examination {
  let title = "System"

  private static let packages = [
    "pcscd", "libccid", "libnfc6", "libevdev2", "libssl3", "libtss2-esys-3.0.2-0", "udev", "polkitd",
  ]

  func findings() async -> [Finding] {
    var name = utsname()
    uname(&name)
    let release = withUnsafeBytes(of: name.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    let versions = InstalledPackage.versions(of: Self.packages).map { "\($0.name) \($0.version)" }
    let told = information("system", (["Linux \(release)"] + versions).joined(separator: ", ") + ".")
    guard Account.isRoot else { return [told] }
    return [
      told,
      information(
        "system.root", "These findings are those of root, who may open everything.",
        remedy: "Run this as the user who is to use the devices."),
    ]
  }
}
