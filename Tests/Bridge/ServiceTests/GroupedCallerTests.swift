import Foundation
import TestSupport
import Testing

extension RealPrograms.AsRoot {
  /// What the service knows of callers by their control groups. Root mounts control groups of version 2, or none.
  @Suite("Callers and control groups", .enabled(if: GroupedCaller.isEnabled, "no control groups can be mounted here"))
  struct GroupedCallerTests {
    @Test(
      "a sandboxed program that hides what it holds refuses its own control group only", arguments: Hoarder.allCases)
    func hoarder(_ hoarder: Hoarder) async throws {
      let near = try await GroupedCaller.run(hoarder: hoarder, isNear: true)
      #expect(near.output == "\n", "\(near.errors)")
      #expect(near.errors.contains("reason=HIDDEN"), "\(near.errors)")
      let far = try await GroupedCaller.run(hoarder: hoarder, isNear: false)
      #expect(far.output == "HTTP/1.1 101\n", "\(far.errors)")
      #expect(!far.errors.contains("was refused"), "\(far.errors)")
    }

    @Test("a program with a capability is known by its control group only")
    func capability() async throws {
      let known = try await GroupedCaller.run(capability: true)
      #expect(known.output == "HTTP/1.1 101\n", "\(known.errors)")
      let unknown = try await GroupedCaller.run(capability: true, mount: "tmpfs")
      #expect(unknown.output == "\n", "\(unknown.errors)")
      #expect(unknown.errors.contains("reason=CAPABILITY"), "\(unknown.errors)")
    }
  }

  /// A program in a sandbox that keeps the service from looking at all that it has open.
  enum Hoarder: String, CaseIterable, Sendable {
    case queue, descriptors, ring

    var program: String {
      let hoard =
        switch self {
        case .queue: "pair = socket.socketpair(); socket.send_fds(pair[0], [b'x'], [0])"
        case .descriptors:
          """
          resource.setrlimit(resource.RLIMIT_NOFILE, (9000, 9000)); kept = [os.dup(0) for _ in range(8500)]
          libc.prctl(4, 0, 0, 0, 0)
          """
        case .ring:
          """
          ring = libc.syscall(425, 4, (ctypes.c_char * 120)())
          libc.syscall(427, ring, 2, (ctypes.c_int * 1)(0), 1)
          """
        }
      return
        "import ctypes, os, resource, socket, time\nlibc = ctypes.CDLL(None)\n\(hoard)\nprint('ready', flush=True)\ntime.sleep(60)"
    }
  }
}

private enum GroupedCaller {
  static let isEnabled =
    ProcessInfo.processInfo.environment["CI"] == "true" && getuid() == 0
    || getuid() == 0 && ProgramRun.succeeds("/bin/sh", ["-c", "unshare --mount mount -t cgroup2 none /sys/fs/cgroup"])

  /// A service of nobody, a program of nobody that asks it, and another one in a sandbox.
  ///
  /// - Parameters:
  ///   - isNear: whether the sandbox is in the control group of the program that asks.
  ///   - capability: whether the program that asks has one that the service lacks.
  /// - Returns: the beginning of the answer, and the log of the service.
  static func run(
    hoarder: RealPrograms.AsRoot.Hoarder? = nil, isNear: Bool = true, capability: Bool = false,
    mount: String = "cgroup2"
  ) async throws -> ProgramRun {
    try await RunningProgram(
      URL(fileURLWithPath: "/usr/bin/unshare"),
      [
        "--mount", "/bin/sh", "-c", script, "sh", mount, ProgramRun.tessera.path, SandboxedCaller.plain.words("")[2],
        hoarder?.program ?? "", isNear ? "" : "far", capability ? "+wake_alarm" : "-all",
      ]
    ).finish(within: 120)
  }

  private static let script = """
    set -e
    mount=$1 tessera=$2 caller=$3 hoarder=$4 far=$5 capability=$6
    mount -t "$mount" none /sys/fs/cgroup
    home=$(mktemp -d)
    chown 65534:65534 "$home"
    user="setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs"
    group=/sys/fs/cgroup/tessera-test-$$
    service= sandbox=
    end() {
      [ -z "$sandbox" ] || { kill -KILL $sandbox; wait $sandbox || true; } 2>/dev/null
      [ -z "$service" ] || { kill $service; wait $service || true; } 2>/dev/null
      cat "$home/log" >&2
      for _ in 1 2 3 4 5; do [ ! -d $group ] || rmdir $group 2>/dev/null || sleep 0.2; done
      rm -rf "$home"
    }
    trap end EXIT
    env -i HOME="$home" XDG_RUNTIME_DIR="$home/run" DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere \\
      $user --inh-caps=-all "$tessera" serve --grant https://app.test:5173=nfc --websocket 127.0.0.1:0 \\
      > "$home/out" 2> "$home/log" &
    service=$!
    if [ -n "$hoarder" ]; then
      if [ -n "$far" ]; then mkdir $group; fi
      (
        if [ -n "$far" ]; then sh -c 'echo $PPID' > $group/cgroup.procs; fi
        exec $user --inh-caps=-all unshare --user --map-root-user /usr/bin/python3 -c "$hoarder"
      ) > "$home/hoard" < /dev/null &
      sandbox=$!
      until grep -q ready "$home/hoard"; do kill -0 $sandbox; sleep 0.1; done
    fi
    until grep -q ready "$home/out"; do kill -0 $service; sleep 0.1; done
    read -r _ _ address < "$home/out"
    $user --inh-caps=$capability --ambient-caps=$capability /usr/bin/python3 -c "$caller" plain "$address" ""
    """
}
