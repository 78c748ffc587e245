import Glibc

/// Looks at the descriptors of a process in another namespace, which may want to hide one.
///
/// It reads `fdinfo` and not the links of `fd`: a program that forbids others to list its descriptors (prctl(2),
/// `PR_SET_DUMPABLE`) does not close `fdinfo` to the user who owns the sandbox, and only `fdinfo` shows descriptors that are
/// in the queue of a Unix socket (`scm_fds`) or registered with io_uring (`UserFiles`). Linux has its line `ino` since 5.14.
struct ForeignDescriptors {
  enum Finding {
    /// It holds none of the sockets.
    case none
    /// It can hold any, in a queue at this moment: a later look can show it.
    case queued
    /// It can hold any: its descriptors cannot be looked at, or are too many.
    case unknown
  }

  /// The descriptors of one process that are looked at, and its tables. No browser has so many in a sandboxed process.
  private static let descriptors = 8_192
  private static let tables = 16
  private static let threads = 4_096

  let inodes: Set<UInt32>
  /// The descriptors that may still be looked at in this search.
  private(set) var left = 100_000
  private(set) var held: Set<UInt32> = []
  /// The lines `mnt_id` of sockets, and of io_uring and others without a file.
  private let sockets: [UInt8]?
  private let nameless: [UInt8]?

  init(_ inodes: Set<UInt32>) {
    self.inodes = inodes
    sockets = Self.mount(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0))
    nameless = Self.mount(inotify_init1(Int32(IN_CLOEXEC)))
  }

  private static func mount(_ descriptor: Int32) -> [UInt8]? {
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return ProcessFolder.bytes("/proc/self/fdinfo/\(descriptor)").flatMap { value("mnt_id", $0).map(Array.init) }
  }

  mutating func look(at process: Int) -> Finding {
    let folder = "/proc/\(process)/task"
    guard let threads = ProcessFolder.numbers(folder, limit: Self.threads) else {
      return access(folder, F_OK) == 0 ? .unknown : .none
    }
    var tables: [Int] = []
    var finding = Finding.none
    var own = min(Self.descriptors, left)
    // A thread can have descriptors of its own.
    for thread in threads where !tables.contains(where: { ProcessFolder.shareDescriptors($0, thread) }) {
      let path = "\(folder)/\(thread)"
      guard tables.count < Self.tables else { return .unknown }
      guard let descriptors = ProcessFolder.numbers("\(path)/fdinfo", limit: own) else {
        if access(path, F_OK) == 0 { return .unknown }
        continue
      }
      tables.append(thread)
      own -= descriptors.count
      left -= descriptors.count
      for descriptor in descriptors {
        switch look(at: path, descriptor) {
        case .none: break
        case .queued: finding = .queued
        case .unknown: return .unknown
        }
      }
    }
    return finding
  }

  private mutating func look(at folder: String, _ descriptor: Int) -> Finding {
    guard let text = ProcessFolder.bytes("\(folder)/fdinfo/\(descriptor)") else {
      return errno == EACCES || errno == EPERM ? .unknown : .none
    }
    guard let inode = Self.value("ino", text), let mount = Self.value("mnt_id", text) else { return .unknown }
    if sockets.map({ $0 == Array(mount) }) ?? true {
      if let inode = UInt32(String(decoding: inode, as: UTF8.self)), inodes.contains(inode) { held.insert(inode) }
      let queued = Self.value("scm_fds", text)
      return queued == nil || queued.map { Array($0) == [UInt8(ascii: "0")] } == true ? .none : .queued
    }
    guard nameless.map({ $0 == Array(mount) }) ?? true else { return .none }
    if Self.value("SqMask", text) != nil {
      return Self.value("UserFiles", text).map { Array($0) == [UInt8(ascii: "0")] } == true ? .none : .unknown
    }
    // A busy io_uring says nothing, and neither do some others.
    guard inode.endIndex == text.endIndex - 1 else { return .none }
    let link = ProcessFolder.link("\(folder)/fd/\(descriptor)")
    return link == nil || link == "anon_inode:[io_uring]" ? .unknown : .none
  }

  /// The value of a line `NAME:<white space>VALUE`.
  private static func value(_ name: StaticString, _ text: [UInt8]) -> ArraySlice<UInt8>? {
    let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    for line in text.split(separator: ProcessFolder.newline) {
      guard line.count > name.count, line.starts(with: name), line[line.startIndex + name.count] == UInt8(ascii: ":")
      else { continue }
      return line.dropFirst(name.count + 1).drop { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
    }
    return nil
  }
}
