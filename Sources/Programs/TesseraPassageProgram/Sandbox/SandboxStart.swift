import FoundationEssentials
import Glibc
import TesseraCore

/// Runs this program again inside of the sandbox. It never runs a session outside.
enum SandboxStart {
  static let bubblewrap = "/usr/bin/bwrap"

  /// The process goes on in the sandbox, with the same process identifier for its parent. It ends when the thread of the
  /// parent that started it ends: so a host starts it on a thread that waits for it.
  ///
  /// - Parameters:
  ///   - arguments: Those of the program in the sandbox.
  ///   - descriptor: The socket to the host, if any. All other open files are closed.
  /// - Throws: `Failure` if this system cannot make the sandbox.
  static func replaceProcess(arguments: [String], keeping descriptor: Int32?) throws(Failure) -> Never {
    try OpenFiles.closeAtNextProgram()
    var sandbox = try Sandbox.ofThisProcess()
    let program = try ownPath()
    let filter = try filterDescriptor()
    try RootIdentity.giveUp()
    // bubblewrap ends for a node in a folder that this identity may not pass through.
    sandbox.renderNodes.removeAll { access($0, F_OK) != 0 }
    guard access(bubblewrap, X_OK) == 0 else { throw unavailable("bubblewrap is not installed.") }
    try probe(sandbox)
    try OpenFiles.keep([filter] + (descriptor.map { [$0] } ?? []) + sandbox.display.descriptors)
    let words = [bubblewrap] + sandbox.arguments + ["--seccomp", "\(filter)", "--", program] + arguments
    execve(bubblewrap, CStrings.list(words), CStrings.list(sandbox.variables))
    throw unavailable("bubblewrap cannot be started.")
  }

  /// The path of this program, which the sandbox has, too.
  private static func ownPath() throws(Failure) -> String {
    do { return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") } catch {
      throw unavailable("/proc is not mounted.")
    }
  }

  private static func filterDescriptor() throws(Failure) -> Int32 {
    guard let descriptor = InheritedData.descriptor(SystemCallFilter.bytes) else {
      throw Failure(
        .serviceUnavailable, "The process has too many open files.",
        remedy: "Raise the limit of open files (ulimit -n).")
    }
    return descriptor
  }

  // MARK: - Probe

  /// Makes two sandboxes, one in the other, as this program and WebKit do. WebKit aborts the program if the inner one
  /// fails.
  private static func probe(_ sandbox: Sandbox) throws(Failure) {
    let outer = [bubblewrap] + sandbox.withoutDescriptors.arguments + ["--"]
    if let problem = problem(outer + ["/usr/bin/true"], sandbox.variables) {
      throw unavailable("bubblewrap cannot make it\(problem).")
    }
    let inner = [
      bubblewrap, "--ro-bind", "/", "/", "--unshare-pid", "--unshare-uts", "--unshare-net", "--proc", "/proc", "--dev",
      "/dev", "/usr/bin/true",
    ]
    if let problem = problem(outer + inner, sandbox.variables) {
      throw unavailable("The sandbox of pages cannot be made inside of that of the program\(problem).")
    }
  }

  /// - Returns: what bubblewrap says, in parentheses; nil if it runs the program.
  private static func problem(_ words: [String], _ variables: [String]) -> String? {
    guard let pipe = PrivatePipe() else { return "" }
    defer { close(pipe.reading) }
    var child = pid_t()
    let (pointers, values) = (CStrings.list(words), CStrings.list(variables))
    defer { for pointer in pointers + values { free(pointer) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, pipe.writing, STDERR_FILENO)
    let error = posix_spawn(&child, bubblewrap, &actions, nil, pointers, values)
    close(pipe.writing)
    guard error == 0 else { return "" }
    let output = InputBytes.read(pipe.reading, upTo: 65_536) ?? []
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else { return "" }
    }
    guard status != 0 else { return nil }
    let line = String(decoding: output, as: UTF8.self).split(separator: "\n").first ?? ""
    return line.isEmpty ? "" : " (\(PrintableText.of(String(line))))"
  }

  private static func unavailable(_ cause: String) -> Failure {
    Failure(
      .serviceUnavailable, "Passage cannot run in its sandbox, and does not run without it. \(cause)",
      remedy: "Install bubblewrap, and allow user namespaces: the settings kernel.unprivileged_userns_clone=1 and "
        + "user.max_user_namespaces, an AppArmor profile with “userns” for bwrap, or a container that permits them.")
  }
}

extension DisplayAccess {
  /// The descriptors that bubblewrap reads.
  fileprivate var descriptors: [Int32] {
    switch self {
    case .wayland: []
    case .x11(_, _, let cookie), .network(_, let cookie): cookie.map { [$0] } ?? []
    }
  }

  fileprivate var withoutCookie: DisplayAccess {
    switch self {
    case .wayland: self
    case .x11(let socket, let display, _): .x11(socket: socket, display: display, cookie: nil)
    case .network(let display, _): .network(display: display, cookie: nil)
    }
  }
}

extension Sandbox {
  /// The same without what can be read only once.
  fileprivate var withoutDescriptors: Sandbox {
    var copy = self
    copy.display = display.withoutCookie
    return copy
  }
}

/// The lists of strings that the calls for starting programs take.
enum CStrings {
  /// - Returns: Pointers that the caller frees, and a null pointer at the end.
  static func list(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] { strings.map { strdup($0) } + [nil] }
}

/// The open files of the host program, which must reach neither the sandbox nor the programs that prepare it.
enum OpenFiles {
  /// Marks all descriptors but the first three: the kernel closes them when this process runs another program.
  ///
  /// - Throws: `Failure` if the system does not do it. Nothing runs then.
  static func closeAtNextProgram() throws(Failure) {
    // close_range(2) with CLOSE_RANGE_CLOEXEC (Linux 5.11).
    guard SystemCall.run(436, Int(STDERR_FILENO) + 1, Int(UInt32.max), 4) != 0 else { return }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") else { throw unclosable }
    for descriptor in names.compactMap({ Int32($0) }) where descriptor > STDERR_FILENO {
      // The one that listed the folder is closed already.
      guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 || errno == EBADF else { throw unclosable }
    }
  }

  /// Hands the descriptors to the next program.
  ///
  /// - Throws: `Failure` if one of them is none.
  static func keep(_ descriptors: [Int32]) throws(Failure) {
    for descriptor in descriptors {
      guard fcntl(descriptor, F_SETFD, 0) == 0 else {
        throw Failure(.internalError, "The descriptor \(descriptor) is not open.")
      }
    }
  }

  private static let unclosable = Failure(
    .serviceUnavailable, "The open files of the host program cannot be kept out of the sandbox.",
    remedy: "Use Linux 5.11 or later, and mount /proc.")
}

/// A pipe that the next program of this process does not inherit, unless it is told to.
struct PrivatePipe {
  let reading: Int32
  let writing: Int32

  /// - Returns: nil if the system has no more descriptors.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    // No other thread of this program runs another program meanwhile.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }
}

/// Root of the machine is not confined by namespaces, and WebKit's sandbox inside of that of the program needs an
/// ordinary user. Also, what the sandbox wrote is not for root to follow.
enum RootIdentity {
  /// The process of root takes on the identity that owns the folders of Passage, without a way back. Without effect for
  /// other users.
  ///
  /// - Throws: `Failure` if the system does not permit it.
  static func giveUp() throws(Failure) {
    guard getuid() == 0 || geteuid() == 0 else { return }
    let user = PassageFolders.substituteOfRoot
    // For root, both calls also set the saved identity.
    guard setgroups(0, nil) == 0, setgid(user) == 0, setuid(user) == 0, geteuid() == user, setuid(0) != 0 else {
      throw Failure(
        .serviceUnavailable, "The process cannot give up the rights of root.",
        remedy: "Run tessera-passage as an ordinary user.")
    }
  }
}
