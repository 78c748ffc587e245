import FoundationEssentials
import Glibc
package import TesseraBridge
package import TesseraCore
import TesseraDurableFiles

/// The permissions of all callers. A web origin has only the permissions of its grants. Local programs of the user have
/// all permissions, unless a grant for `local` limits them.
public struct Grants: Sendable, Equatable {
  private var permissions: [Caller: Set<Grant.Permission>] = [:]
  private var denials: [Caller: Set<Grant.Permission>] = [:]

  /// Combines the permissions of several grants for one caller. A denial outweighs them.
  public init(_ grants: [Grant] = []) {
    for grant in grants { insert(grant) }
  }

  package mutating func insert(_ grant: Grant) {
    if !grant.permissions.isEmpty {
      permissions[grant.caller, default: []].formUnion(grant.permissions.flatMap(\.covered))
    }
    if !grant.denials.isEmpty { denials[grant.caller, default: []].formUnion(grant.denials.flatMap(\.denied)) }
  }

  /// These and more. The grants of the user stay as they are, and so do the denials.
  package func adding(_ grants: [Grant]) -> Grants {
    var all = self
    for grant in grants { all.insert(grant) }
    return all
  }

  /// What is known about a request.
  package enum Decision: Sendable {
    case granted, denied
    /// No grant mentions it.
    case undecided
  }

  package func decision(_ caller: Caller, _ domain: BridgeDomain, _ method: String) -> Decision {
    let (whole, single) = (Grant.Permission(domain), Grant.Permission(domain, method))
    if let denied = denials[caller], denied.contains(whole) || denied.contains(single) { return .denied }
    guard let granted = permissions[caller] else { return caller == .local ? .granted : .undecided }
    return granted.contains(whole) || granted.contains(single) ? .granted : .undecided
  }

  /// Whether the caller may connect: local programs, and pages of an origin with a grant.
  package func knows(_ caller: Caller) -> Bool { caller == .local || permissions[caller] != nil }

  package func allows(_ caller: Caller, _ domain: BridgeDomain, _ method: String) -> Bool {
    decision(caller, domain, method) == .granted
  }
}

/// The grants file, `grants` in `$XDG_CONFIG_HOME/tessera`: one grant per line, in the syntax of `Grant.init(_:)`.
/// Empty lines and lines that begin with `#` are ignored. Only LF and CRLF end a line, so that no other character can
/// hide a grant in a comment.
///
/// ```
/// # The wallet may read documents and sign.
/// https://wallet.example = nfc, crypto
/// # The shop may not ask for the camera again.
/// https://shop.example = !camera
/// ```
package enum GrantsFile {
  /// The path according to the XDG Base Directory Specification.
  package static func standardPath(_ environment: [String: String]) -> String {
    UserFolders.settings(environment) + "/tessera/grants"
  }

  static let maximumLength = 1 << 20

  /// - Returns: no grants if the file does not exist.
  /// - Throws: `Failure` of the kind `usage` that names the invalid line, or if other users can write or replace the
  ///   file.
  package static func read(_ path: String) throws(Failure) -> [Grant] {
    // O_NONBLOCK: opening a pipe would wait for its writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return [] }
      throw unreadable(path)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw unreadable(path) }
    try refuseOthers(status, "grants file \(path)", mode: "600")
    // For a symbolic link, check its own folder and the folder of its target.
    for name in Set([path, URL(fileURLWithPath: path).resolvingSymlinksInPath().path]) {
      let folder = URL(fileURLWithPath: name).deletingLastPathComponent().path
      guard stat(folder, &status) == 0 else { throw unreadable(path) }
      try refuseOthers(status, "folder \(folder) of the grants file", mode: "700")
    }
    guard let bytes = contents(descriptor) else { throw unreadable(path) }
    return try parse(bytes, named: path)
  }

  /// nil if the file cannot be read or is too long.
  private static func contents(_ descriptor: Int32) -> [UInt8]? {
    var contents: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while contents.count <= maximumLength {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { return contents }
      contents += buffer.prefix(count)
    }
    return nil
  }

  private static func refuseOthers(_ status: stat, _ what: String, mode: String) throws(Failure) {
    guard status.st_uid == getuid(), status.st_mode & 0o022 == 0 else {
      throw Failure(
        .usage, "Other users can write to the \(what).",
        remedy: "Change its owner to yourself and its mode to \(mode) (chown, chmod).")
    }
  }

  package static func parse(_ bytes: [UInt8], named path: String) throws(Failure) -> [Grant] {
    var grants: [Grant] = []
    // Some editors begin a file with a byte order mark.
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      var line = line
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      let words = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard let first = words.first, first != UInt8(ascii: "#") else { continue }
      do {
        grants.append(try grant(words))
      } catch {
        throw Failure(error.kind, "\(path), line \(index + 1): \(error.cause)", remedy: error.remedy)
      }
    }
    return grants
  }

  private static func grant(_ line: ArraySlice<UInt8>) throws(Failure) -> Grant {
    guard let text = String(validating: line, as: UTF8.self) else {
      throw Failure(.usage, "The line is not UTF-8 text.", remedy: "Write ORIGIN = DOMAIN[.METHOD],…")
    }
    return try Grant(text)
  }

  private static func unreadable(_ path: String) -> Failure {
    Failure(
      .usage, "The grants file \(path) cannot be read.",
      remedy: "Make it a text file that you own and can read.")
  }
}
