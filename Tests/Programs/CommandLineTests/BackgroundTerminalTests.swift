import Foundation
import TestSupport
import Testing

extension RealPrograms {
  @Suite("A signal in the background of a terminal")
  struct BackgroundTerminalTests {
    /// The leader of a session on a new terminal. It starts a program in the foreground, takes the foreground back when
    /// the program asks its question, and ends the program. Prints how that ended, and whether the terminal shows what is
    /// typed.
    private static let shell = """
      import os, pty, signal, sys, termios
      question, command = sys.argv[1].encode(), sys.argv[2:]
      waiting, go = os.pipe()
      leader, terminal = pty.fork()
      if leader == 0:
          signal.signal(signal.SIGTTOU, signal.SIG_IGN)
          program = os.fork()
          if program == 0:
              os.setpgid(0, 0)
              os.tcsetpgrp(0, os.getpid())
              signal.signal(signal.SIGTTOU, signal.SIG_DFL)
              os.execv(command[0], command)
          os.read(waiting, 1)
          os.tcsetpgrp(0, os.getpid())
          os.kill(program, signal.SIGTERM)
          _, status = os.waitpid(program, os.WUNTRACED)
          flags = termios.tcgetattr(0)[3]
          if os.WIFSTOPPED(status): os.kill(program, signal.SIGKILL)
          ends = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
          end = "stopped" if os.WIFSTOPPED(status) else ends
          print("end", end, bool(flags & termios.ECHO), bool(flags & termios.ICANON), flush=True)
          os._exit(0)
      shown = b""
      try:
          while (data := os.read(terminal, 4096)):
              shown += data
              if question in shown:
                  os.write(go, b"x")
                  question = b"end of the question"
      except OSError: pass
      print(shown.decode(errors="replace"))
      """

    @Test(
      "ends the program, and does not stop it while it restores the terminal",
      arguments: [
        ("New passphrase", ["key", "generate", "k"]), ("First line", ["passport", "read", "--virtual", "--prompt"]),
      ])
    func ends(question: String, arguments: [String]) async throws {
      let folder = try TemporaryFolder()
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/python3"), ["-c", Self.shell, question, ProgramRun.tessera.path] + arguments,
        environment: [
          "XDG_DATA_HOME": folder.file("data"), "XDG_CONFIG_HOME": folder.file("config"), "DISPLAY": "",
          "WAYLAND_DISPLAY": "", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/proc/nonexistent", "TERM": "xterm",
        ]
      ).finish(within: 180)
      #expect(run.output.contains("end 143 True True"), "\(run.output)\(run.errors)")
    }
  }
}
