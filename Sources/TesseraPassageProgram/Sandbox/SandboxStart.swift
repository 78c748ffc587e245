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
    let sandbox = try Sandbox.ofThisProcess()
    let program = try ownPath()
    let filter = try filterDescriptor()
    if getuid() == 0 { try giveUpRoot() }
    guard access(bubblewrap, X_OK) == 0 else { throw unavailable("bubblewrap is not installed.") }
    try probe(sandbox)
    closeFiles(except: [filter] + (descriptor.map { [$0] } ?? []) + sandbox.display.descriptors)
    execute([bubblewrap] + sandbox.arguments + ["--seccomp", "\(filter)", "--", program] + arguments)
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

  /// Root of the machine is not confined by namespaces, and WebKit's sandbox inside of this one needs an ordinary user.
  private static func giveUpRoot() throws(Failure) {
    let user = PassageFolders.substituteOfRoot
    // For root, both calls also set the saved identity: there is no way back.
    guard setgroups(0, nil) == 0, setgid(user) == 0, setuid(user) == 0, geteuid() == user, setuid(0) != 0 else {
      throw Failure(
        .serviceUnavailable, "The process cannot give up the rights of root.",
        remedy: "Run tessera-passage as an ordinary user.")
    }
  }

  // MARK: - Probe

  /// Makes two sandboxes, one in the other, as this program and WebKit do. WebKit aborts the program if the inner one
  /// fails.
  private static func probe(_ sandbox: Sandbox) throws(Failure) {
    let outer = [bubblewrap] + sandbox.withoutDescriptors.arguments + ["--"]
    if let problem = problem(outer + ["/usr/bin/true"]) {
      throw unavailable("bubblewrap cannot make it\(problem).")
    }
    let inner = [
      bubblewrap, "--ro-bind", "/", "/", "--unshare-pid", "--unshare-uts", "--unshare-net", "--proc", "/proc", "--dev",
      "/dev", "/usr/bin/true",
    ]
    if let problem = problem(outer + inner) {
      throw unavailable("The sandbox of pages cannot be made inside of that of the program\(problem).")
    }
  }

  /// - Returns: what bubblewrap says, in parentheses; nil if it runs the program.
  private static func problem(_ words: [String]) -> String? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return "" }
    defer { close(ends[0]) }
    var child = pid_t()
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
    for end in ends { posix_spawn_file_actions_addclose(&actions, end) }
    let error = posix_spawn(&child, bubblewrap, &actions, nil, pointers, environ)
    close(ends[1])
    guard error == 0 else { return "" }
    let output = InputBytes.read(ends[0], upTo: 65_536) ?? []
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

  // MARK: - System calls

  /// Files of the host program must not reach the sandbox.
  private static func closeFiles(except kept: [Int32]) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    for descriptor in names.compactMap({ Int32($0) }) where descriptor > STDERR_FILENO && !kept.contains(descriptor) {
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }
    for descriptor in kept { _ = fcntl(descriptor, F_SETFD, 0) }
  }

  private static func execute(_ words: [String]) {
    var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    pointers.append(nil)
    execv(bubblewrap, pointers)
    for pointer in pointers { free(pointer) }
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
