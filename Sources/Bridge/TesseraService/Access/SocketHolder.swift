import Glibc

/// The processes that hold a socket, as /proc shows them to this process.
enum SocketHolder: Equatable {
  /// All are in the namespaces of this process.
  case own
  /// One is in another user or process namespace: in a sandbox or a container.
  case foreign
  /// A process of a sandbox could hold it in a way that does not show.
  case hidden
  /// None is seen, and the user has programs with a capability that this process lacks, of which it sees nothing.
  case privileged
  /// The search took too long.
  case undecided

  /// Looks at all processes of this user, again while a process of a sandbox could hold a socket in a queue.
  ///
  /// What a process of a sandbox can do about it:
  /// - One that cannot be looked at at all (another program of its sandbox started it without execve(2), and it is not
  ///   dumpable) counts as holding nothing. Renderers of Chromium can be such processes, so they would refuse all pages of
  ///   their browser. A program that was started inside of its sandbox cannot become one of them, since the user owns the
  ///   user namespace.
  /// - One that hides what it holds, or holds too much, could hold any socket of its control group. It refuses those, and
  ///   not those that processes of other groups made: a session's programs have a group each.
  /// - The work for one process, and for all in one search, is bounded. Processes of the sockets' groups come first.
  ///
  /// - Returns: none for a socket without a holder that this process may look at.
  static func find(_ sockets: Set<PeerSocket>) -> [UInt32: SocketHolder] {
    let deadline = ContinuousClock.now + .seconds(5)
    var holders: [UInt32: SocketHolder] = [:]
    var pending = sockets
    for pause in [20_000, 50_000, 100_000, 0] as [UInt32] {
      var search = HolderSearch(pending, deadline)
      search.run()
      holders.merge(search.holders) { $1 }
      pending = pending.filter { search.queued.contains($0.inode) }
      guard !pending.isEmpty, pause > 0 else { break }
      usleep(pause)
    }
    return holders
  }
}

/// One look at all processes.
private struct HolderSearch {
  let sockets: Set<PeerSocket>
  let deadline: ContinuousClock.Instant
  private let inodes: Set<UInt32>
  private(set) var holders: [UInt32: SocketHolder] = [:]
  /// Those that are `hidden` because of a queue.
  private(set) var queued: Set<UInt32> = []
  private let own = ProcessNamespaces("self")
  private let status = ProcessFolder.status("self")
  private let user = String(getuid())
  private var groups = ControlGroups()
  private var foreign: [Int] = []
  /// Processes of which this one may know no namespace.
  private var closed: [Int] = []

  init(_ sockets: Set<PeerSocket>, _ deadline: ContinuousClock.Instant) {
    self.sockets = sockets
    self.deadline = deadline
    inodes = Set(sockets.map(\.inode))
  }

  private var isLate: Bool { ContinuousClock.now > deadline }

  mutating func run() {
    for process in ProcessFolder.numbers("/proc") ?? [] {
      guard !isLate else {
        holders = Dictionary(uniqueKeysWithValues: inodes.map { ($0, .undecided) })
        return
      }
      switch ProcessNamespaces(String(process)) {
      case nil: closed.append(process)
      case own: lookAtOwn(process)
      default: foreign.append(process)
      }
    }
    lookAtClosed()
    lookAtForeign()
  }

  private mutating func lookAtOwn(_ process: Int) {
    // Only a program that wants to hide something has threads with descriptors of their own.
    guard holders.count < inodes.count, let descriptors = ProcessFolder.numbers("/proc/\(process)/fd") else { return }
    for (index, descriptor) in descriptors.enumerated() {
      if index % 1_024 == 1_023, isLate { return }
      guard let inode = ProcessFolder.socket("/proc/\(process)/fd/\(descriptor)"), inodes.contains(inode) else {
        continue
      }
      holders[inode] = .own
    }
  }

  private mutating func lookAtForeign() {
    let processes = foreign.map { (number: $0, group: groups.of($0)) }
    func canHold(_ group: UInt64?, _ socket: PeerSocket) -> Bool {
      group == nil || socket.group == nil || group == socket.group
    }
    let near = processes.filter { process in sockets.contains { canHold(process.group, $0) } }
    let far = processes.filter { process in !sockets.contains { canHold(process.group, $0) } }
    var descriptors = ForeignDescriptors(inodes)
    for (process, group) in near + far {
      let isLate = isLate || descriptors.left <= 0
      let finding = isLate ? .unknown : descriptors.look(at: process)
      guard finding != .none else { continue }
      for socket in sockets where canHold(group, socket) && holders[socket.inode] != nil {
        let isFirst = holders[socket.inode] != .hidden && holders[socket.inode] != .undecided
        holders[socket.inode] = isLate ? .undecided : .hidden
        if finding == .queued, isFirst {
          queued.insert(socket.inode)
        } else if finding == .unknown {
          queued.remove(socket.inode)
        }
      }
    }
    for inode in descriptors.held {
      holders[inode] = .foreign
      queued.remove(inode)
    }
  }

  /// Sockets of programs with a capability that this process lacks: since systemd 254 the programs of a session at the
  /// machine can have CAP_WAKE_ALARM, and those that the user's service manager starts do not.
  ///
  /// Such a program is the holder if it made the socket (its control group did), and no process of that group that could
  /// be in a sandbox is closed, too. A program of a sandbox with a user namespace is never closed in this way.
  private mutating func lookAtClosed() {
    let unseen = sockets.filter { holders[$0.inode] == nil }
    guard !unseen.isEmpty else { return }
    let depth = status["NSpid"]?.count ?? 1
    let isOutside = ProcessFolder.hasAllUsers("self")
    var capable: [UInt64?] = []
    var deeper: [UInt64?] = []
    for process in closed {
      let status = ProcessFolder.status(String(process))
      guard let users = status["Uid"], users.contains(Substring(user)) else { continue }
      let isOwn = status["NSpid"]?.count == depth && ProcessFolder.hasAllUsers(String(process))
      if !isOwn {
        deeper.append(groups.of(process))
      } else if isOutside, Set(users) == [Substring(user)], hasMore(status) {
        capable.append(groups.of(process))
      }
    }
    guard !capable.isEmpty else { return }
    for socket in unseen {
      let isKnown = socket.group != nil && capable.contains(socket.group)
      let isAlone = !deeper.contains { $0 == nil || $0 == socket.group }
      holders[socket.inode] = isKnown && isAlone ? .own : .privileged
    }
  }

  /// Whether a process has a capability that this one lacks.
  private func hasMore(_ other: [String: [Substring]]) -> Bool {
    func set(_ status: [String: [Substring]]) -> UInt64 {
      status["CapPrm"]?.first.flatMap { UInt64($0, radix: 16) } ?? 0
    }
    return set(other) & ~set(status) != 0
  }
}
