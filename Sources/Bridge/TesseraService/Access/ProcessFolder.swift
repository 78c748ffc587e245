import FoundationEssentials
import Glibc

/// Files of /proc (proc(5)).
enum ProcessFolder {
  static let newline = UInt8(ascii: "\n")

  /// The names of a folder that are numbers.
  ///
  /// - Returns: nil if the folder cannot be read, or has more than `limit` of them.
  static func numbers(_ folder: String, limit: Int = .max) -> [Int]? {
    guard let stream = opendir(folder) else { return nil }
    defer { closedir(stream) }
    var numbers: [Int] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard let number = Int(name) else { continue }
      guard numbers.count < limit else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  static func link(_ path: String) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = readlink(path, start, buffer.count)
      return count > 0 ? String(decoding: UnsafeRawBufferPointer(buffer).prefix(count), as: UTF8.self) : nil
    }
  }

  /// The inode of a descriptor that is a socket, `socket:[INODE]`.
  static func socket(_ path: String) -> UInt32? {
    guard let target = link(path), target.hasPrefix("socket:["), target.hasSuffix("]") else { return nil }
    return UInt32(target.dropFirst("socket:[".count).dropLast())
  }

  /// The first 8 KiB of a file.
  ///
  /// - Returns: nil if it cannot be opened or is empty; `errno` says why, 0 if it is empty.
  static func bytes(_ path: String) -> [UInt8]? {
    errno = 0
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      count = max(read(descriptor, buffer.baseAddress, limit), 0)
    }
    return bytes.isEmpty ? nil : bytes
  }
  static let limit = 8_192

  static func lines(_ path: String) -> [Substring] {
    String(decoding: bytes(path) ?? [], as: UTF8.self).split(separator: "\n")
  }

  /// The words of the lines of `status`, by name. A name of a program cannot imitate a line.
  static func status(_ process: String) -> [String: [Substring]] {
    var values: [String: [Substring]] = [:]
    for line in lines("/proc/\(process)/status") {
      let words = line.split { $0 == "\t" || $0 == " " }
      if let name = words.first, name.hasSuffix(":") { values[String(name.dropLast())] = Array(words.dropFirst()) }
    }
    return values
  }

  /// Whether the users of a process are those of the machine: it is in no user namespace, as this process sees it.
  static func hasAllUsers(_ process: String) -> Bool {
    lines("/proc/\(process)/uid_map").map { $0.split(separator: " ") } == [["0", "0", "4294967295"]]
  }

  /// Whether two threads have the same table of descriptors (kcmp(2), `KCMP_FILES`).
  static func shareDescriptors(_ first: Int, _ second: Int) -> Bool {
    systemCall?(kcmp, first, second, 2, 0, 0) == 0
  }

  // `syscall` takes a variable number of arguments, so Swift does not import it. On all machines that this program is
  // built for, whole numbers are passed as to a function with these parameters.
  private typealias SystemCall = @convention(c) (Int, Int, Int, Int, Int, Int) -> Int
  private static let systemCall = dlsym(nil, "syscall").map { unsafeBitCast($0, to: SystemCall.self) }
  #if arch(x86_64)
    private static let kcmp = 312
  #elseif arch(arm64)
    private static let kcmp = 272
  #endif
}

/// What tells a process of a sandbox or a container from others of the same user.
///
/// Not the namespace of mounts: a browser of a Snap has its own, and is trusted like one without. A sandbox always has a
/// process namespace, since its programs could otherwise stop all others of the user.
struct ProcessNamespaces: Equatable {
  private let user: String
  private let process: String

  /// - Parameter process: a name in `/proc`.
  /// - Returns: nil if this process may not know them.
  init?(_ process: String) {
    guard let user = ProcessFolder.link("/proc/\(process)/ns/user"),
      let processes = ProcessFolder.link("/proc/\(process)/ns/pid")
    else { return nil }
    self.user = user
    self.process = processes
  }
}

/// The control groups of processes (cgroups(7), version 2), by the number that sock_diag(7) reports for sockets: that of
/// the process which made the socket.
struct ControlGroups {
  private static let root = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].first {
    access("\($0)/cgroup.controllers", F_OK) == 0
  }
  private var known: [Substring: UInt64?] = [:]

  /// - Returns: nil if it is unknown.
  mutating func of(_ process: Int) -> UInt64? {
    guard let root = Self.root,
      let path = ProcessFolder.lines("/proc/\(process)/cgroup").first(where: { $0.hasPrefix("0::") })?.dropFirst(3)
    else { return nil }
    if let number = known[path] { return number }
    var status = stat()
    let number: UInt64? = stat("\(root)\(path)", &status) == 0 ? UInt64(status.st_ino) : nil
    known[path] = .some(number)
    return number
  }
}
