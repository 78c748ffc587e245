import Foundation

/// What dpkg has installed, read from its database.
enum InstalledPackage {
  private static let database = "/var/lib/dpkg/status"

  /// The versions of those that are installed; empty where there is no dpkg.
  static func versions(of names: [String]) -> [(name: String, version: String)] {
    guard let file = try? Data(contentsOf: URL(fileURLWithPath: database), options: .mappedIfSafe) else { return [] }
    return names.compactMap { name in version(of: name, in: file).map { (name, $0) } }
  }

  /// A paragraph of the database begins with its package's name and ends with an empty line (deb-control(5)).
  static func version(of name: String, in file: Data) -> String? {
    let head = Data("Package: \(name)\n".utf8)
    let start = file.starts(with: head) ? file.startIndex : file.range(of: Data("\n".utf8) + head)?.lowerBound
    guard let start else { return nil }
    // The line's end that was looked for stands before the paragraph.
    let rest = file.index(after: start)..<file.endIndex
    let end = file.range(of: Data("\n\n".utf8), in: rest)?.lowerBound ?? file.endIndex
    let fields = String(decoding: file[start..<end], as: UTF8.self).split(separator: "\n")
    guard fields.contains(where: { $0.hasPrefix("Status: ") && $0.hasSuffix(" installed") }) else { return nil }
    let prefix = "Version: "
    return fields.first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
  }
}
