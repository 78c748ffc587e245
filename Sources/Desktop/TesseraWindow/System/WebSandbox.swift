import Glibc
import TesseraCore
import TesseraThreads

/// WebKit runs the processes of pages in a sandbox (bubblewrap). If the system cannot make one, for example in a
/// container without namespaces, WebKit would abort this program; so it is tried first.
///
/// WebKit makes none, and says nothing, in what it takes for a Snap or for Flatpak: it leaves the protection to them (WebKit
/// 2.50, ProcessLauncherGLib.cpp).
package enum WebSandbox {
  private static let program = "/usr/bin/bwrap"
  private static let variable = "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS"
  /// Where all of them are set, WebKit takes the program for one in a Snap.
  private static let variablesOfSnap = ["SNAP", "SNAP_NAME", "SNAP_REVISION"]
  /// Where it is, WebKit takes the program for one in Flatpak.
  private static let fileOfFlatpak = "/.flatpak-info"

  /// Forgets that a terminal in a Snap, as some editors have one, has started this program, which is in none. Called before
  /// threads start.
  package static func leaveSnap() { for name in variablesOfSnap { unsetenv(name) } }

  /// Whether this system can make a sandbox; nil until that was tried.
  @MainActor private static var isAvailable: Bool?

  /// Whether pages run in a sandbox.
  @MainActor package static var isUsed: Bool {
    guard !isTurnedOff, container == nil else { return false }
    let isAvailable = isAvailable ?? probe()
    self.isAvailable = isAvailable
    return isAvailable
  }

  /// Where WebKit makes no sandbox; nil for elsewhere.
  private static var container: String? {
    if access(fileOfFlatpak, F_OK) == 0 { return "Flatpak (\(fileOfFlatpak))" }
    guard variablesOfSnap.allSatisfy({ getenv($0) != nil }) else { return nil }
    return "a Snap (\(variablesOfSnap.joined(separator: ", ")))"
  }

  /// Whether the user turned the sandbox off, before this type did.
  private static let isTurnedOff = getenv(variable) != nil

  /// Why pages run without a sandbox, in sentences for the user; nil if they have one.
  @MainActor package static var absence: String? {
    guard !isUsed else { return nil }
    let reason =
      if isTurnedOff {
        "\(variable) is set."
      } else if let container {
        "WebKit makes none in \(container)."
      } else {
        "Install bubblewrap and allow user namespaces."
      }
    return "Pages run without a sandbox here. \(reason)"
  }

  /// - Parameter isOwnContent: whether the content is part of this program.
  /// - Throws: `Failure` if there is no sandbox, and the content is not part of this program.
  @MainActor
  package static func require(isOwnContent: Bool) throws(Failure) {
    guard !isTurnedOff, !isUsed else { return }
    guard isOwnContent else {
      if let container {
        throw Failure(
          .serviceUnavailable, "WebKit makes no sandbox for pages in \(container).",
          remedy: "Start the program outside of it, or set \(variable)=1 for pages that you trust.")
      }
      throw Failure(
        .serviceUnavailable, "This system cannot run pages in a sandbox (bubblewrap).",
        remedy: "Install bubblewrap and allow user namespaces, or set \(variable)=1 for pages that you trust.")
    }
    // Content of this program needs no protection from itself. WebKit reads the variable when it starts the first
    // process.
    setenv(variable, "1", 1)
  }

  /// Makes a sandbox like WebKit's, in which `true` runs.
  private static func probe() -> Bool {
    guard access(program, X_OK) == 0 else { return false }
    var child = pid_t()
    let arguments = [program, "--ro-bind", "/", "/", "--unshare-pid", "--unshare-uts", "--unshare-net", "/bin/true"]
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    guard posix_spawn(&child, program, &actions, nil, pointers, environ) == 0 else { return false }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else { return false }
    }
    return status == 0
  }
}
