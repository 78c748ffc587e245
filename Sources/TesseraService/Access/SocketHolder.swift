import FoundationEssentials
import Glibc

/// The processes that hold a socket, as /proc shows them to this process.
enum SocketHolder: Equatable {
  /// All are in the namespaces of this process.
  case own
  /// One is in another user or process namespace: in a sandbox or a container.
  case foreign

  /// Looks at all processes of this user once, which takes milliseconds.
  ///
  /// - Parameter inodes: the numbers of the sockets.
  /// - Returns: none for a socket without a holder that this process may look at.
  static func find(_ inodes: Set<UInt32>) -> [UInt32: SocketHolder] {
    var search = Search(inodes)
    for process in ProcessFolder.numbers("/proc") { search.look(at: process) }
    search.lookAtHidden()
    return search.holders
  }

  private struct Search {
    let inodes: Set<UInt32>
    var holders: [UInt32: SocketHolder] = [:]
    private let own = ProcessNamespaces("self")
    private let depth = ProcessFolder.status("self")["NSpid"]?.count ?? 1
    private let user = String(getuid())
    /// One process and its descriptor for each socket.
    private var examples: [UInt32: (process: Int, descriptor: Int)] = [:]
    /// Processes of sandboxes of this user whose descriptors this process may not list.
    private var hidden: [Int] = []

    init(_ inodes: Set<UInt32>) { self.inodes = inodes }

    mutating func look(at process: Int) {
      let folder = "/proc/\(process)"
      // Not those of other users, of which this process sees nothing.
      guard let namespaces = ProcessNamespaces(String(process)) else {
        if isOfSandbox(process) { hidden.append(process) }
        return
      }
      let isOwn = namespaces == own
      guard let descriptors = ProcessFolder.list("\(folder)/fd") else {
        if !isOwn { hidden.append(process) }
        return
      }
      found(in: "\(folder)/fd", descriptors, process, isOwn)
      // A thread can have descriptors of its own. Only a program that wants to hide something has such threads.
      if isOwn { return }
      for thread in ProcessFolder.numbers("\(folder)/task") where thread != process {
        let path = "\(folder)/task/\(thread)/fd"
        found(in: path, ProcessFolder.numbers(path), thread, isOwn)
      }
    }

    private mutating func found(in folder: String, _ descriptors: [Int], _ process: Int, _ isOwn: Bool) {
      for descriptor in descriptors {
        guard let inode = ProcessFolder.socket("\(folder)/\(descriptor)"), inodes.contains(inode) else { continue }
        if isOwn {
          examples[inode] = (process, descriptor)
          if holders[inode] == nil { holders[inode] = .own }
        } else {
          holders[inode] = .foreign
        }
      }
    }

    /// Whether a process of this user is in a process namespace below that of this process.
    private func isOfSandbox(_ process: Int) -> Bool {
      let status = ProcessFolder.status(String(process))
      return status["Uid"]?.first.map(String.init) == user && status["NSpid", default: []].count > depth
    }

    /// A program in a sandbox can forbid others to list its descriptors (prctl(2), `PR_SET_DUMPABLE`), and pass its socket
    /// to a program outside, such as the display server. kcmp(2) still compares them, since this user owns the sandbox.
    mutating func lookAtHidden() {
      for (inode, example) in examples where holders[inode] == .own {
        let isHeld = hidden.contains { process in
          ProcessFolder.numbers("/proc/\(process)/task").contains { thread in holds(thread, example) }
        }
        if isHeld { holders[inode] = .foreign }
      }
    }

    private func holds(_ thread: Int, _ example: (process: Int, descriptor: Int)) -> Bool {
      // The number of places in its table of descriptors.
      guard let size = ProcessFolder.status(String(thread))["FDSize"]?.first.flatMap({ Int($0) }) else { return false }
      // So many cannot be compared in time. Nobody has them but one who hides something.
      guard size <= 65_536 else { return true }
      return (0..<size).contains { SystemCall.isSameFile(example.process, example.descriptor, thread, $0) }
    }
  }
}

/// What tells a process of a sandbox or a container from others of the same user.
///
/// Not the namespace of mounts: a browser of a Snap has its own, and is trusted like one without. A sandbox always has a
/// process namespace, since its programs could otherwise stop all others of the user.
private struct ProcessNamespaces: Equatable {
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

/// Files of /proc (proc(5)).
private enum ProcessFolder {
  /// - Returns: nil if the folder cannot be read.
  static func list(_ folder: String) -> [Int]? {
    (try? FileManager.default.contentsOfDirectory(atPath: folder))?.compactMap { Int($0) }
  }

  static func numbers(_ folder: String) -> [Int] { list(folder) ?? [] }

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

  /// The words of the lines of `status`, by name. A name of a program cannot imitate a line.
  static func status(_ process: String) -> [String: [Substring]] {
    let descriptor = open("/proc/\(process)/status", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [:] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 8_192)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return [:] }
    var values: [String: [Substring]] = [:]
    for line in String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n") {
      let words = line.split { $0 == "\t" || $0 == " " }
      if let name = words.first, name.hasSuffix(":") { values[String(name.dropLast())] = Array(words.dropFirst()) }
    }
    return values
  }
}

private enum SystemCall {
  #if arch(x86_64)
    private static let kcmp = 312
  #elseif arch(arm64)
    private static let kcmp = 272
  #endif

  /// Whether two descriptors of two processes are the same open file (kcmp(2), `KCMP_FILE`).
  static func isSameFile(_ first: Int, _ descriptor: Int, _ second: Int, _ other: Int) -> Bool {
    guard let symbol = dlsym(nil, "syscall") else { return false }
    // `syscall` takes a variable number of arguments, so Swift does not import it. On all machines that this program is
    // built for, whole numbers are passed as to a function with these parameters.
    typealias Function = @convention(c) (Int, Int, Int, Int, Int, Int) -> Int
    return unsafeBitCast(symbol, to: Function.self)(kcmp, first, second, 0, descriptor, other) == 0
  }
}
