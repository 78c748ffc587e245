import FoundationEssentials
import Glibc

/// The packages in the database of dpkg.
enum InstalledPackage {
  private static let database = "/var/lib/dpkg/status"

  /// The versions of the installed packages among `names`, in their order; empty without dpkg.
  static func versions(of names: [String]) -> [(name: String, version: String)] {
    guard let file = try? Data(contentsOf: URL(fileURLWithPath: database), options: .mappedIfSafe) else { return [] }
    let versions = versions(of: Set(names), in: file)
    return names.compactMap { name in versions[name].map { (name, $0) } }
  }

  /// Parses the paragraphs of the database. Each starts with the package's name and ends with an empty line
  /// (deb-control(5)).
  static func versions(of names: Set<String>, in file: Data) -> [String: String] {
    var versions: [String: String] = [:]
    var (name, isInstalled, version): (String?, Bool, String?) = (nil, false, nil)
    func endParagraph() {
      if let name, isInstalled, let version { versions[name] = version }
      (name, isInstalled, version) = (nil, false, nil)
    }
    for line in Lines(file) {
      if line.isEmpty { endParagraph() }
      if let value = line.value(of: "Package: "), names.contains(value) { name = value }
      guard name != nil else { continue }
      if let value = line.value(of: "Status: ") { isInstalled = value.hasSuffix(" installed") }
      if let value = line.value(of: "Version: ") { version = value }
    }
    endParagraph()
    return versions
  }
}

/// The lines of a large file.
private struct Lines: Sequence, IteratorProtocol {
  private var rest: Data

  init(_ file: Data) { rest = file }

  mutating func next() -> Data? {
    guard !rest.isEmpty else { return nil }
    // Much faster than a search for the element: the database has megabytes.
    let length = rest.withUnsafeBytes { bytes -> Int? in
      guard let start = bytes.baseAddress, let end = memchr(start, 0x0A, bytes.count) else { return nil }
      return start.distance(to: end)
    }
    defer { rest = length.map { rest.dropFirst($0 + 1) } ?? Data() }
    return rest.prefix(length ?? rest.count)
  }
}

extension Data {
  fileprivate func value(of field: String) -> String? {
    guard starts(with: field.utf8) else { return nil }
    return String(decoding: dropFirst(field.utf8.count), as: UTF8.self)
  }
}

/// Finds another program of this package.
package enum ProgramFile {
  /// The path of the running program; nil without /proc.
  package static var running: String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  }

  /// How to install the Debian package of another program of Tessera, if the running one comes from such a package. Nil in a
  /// clone.
  package static func packageInstallation(of package: String) -> (remedy: String, command: String)? {
    guard running?.hasPrefix("/usr/bin/tessera") == true else { return nil }
    return ("Install the package \(package) of the same version.", "sudo apt install ./\(package)_*.deb")
  }

  /// The paths at which the program is installed. The folder of the running program comes first, since both come from
  /// one build; then those of `PATH`.
  package static func paths(of program: String) -> [String] {
    let folder = URL(fileURLWithPath: running ?? "").deletingLastPathComponent().path
    let search = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":").map(String.init)
    return ([folder] + search).filter { $0.hasPrefix("/") }.map { "\($0)/\(program)" }.filter { access($0, X_OK) == 0 }
  }
}
