import Foundation
import TestSupport
import Testing

extension RealPrograms {
  @Suite("SIGTERM and SIGINT end every command")
  struct InterruptionTests {
    @Test("during the wait for a pipe or a silent descriptor", arguments: [SIGTERM, SIGINT])
    func pipes(_ signal: Int32) async throws {
      let shell = try KeyShell()
      let made = try await shell.run(
        """
        echo text > message
        $T key generate k --unprotected > /dev/null 2>&1; $T key sign k message -o message.sig; echo $?
        """)
      #expect(made.output == "0\n", "\(made.errors)")
      // Each command waits for `pipe`, or for its standard input, which is open and silent.
      let commands = [
        "key verify k pipe message", "key verify k message.sig pipe", "key verify --public pipe message.sig message",
        "key sign k pipe --format base64", "key sign k --format base64", "key sign k message -o pipe",
        "key import i pipe --unprotected",
        "key generate g --passphrase-fd 0", "key public k -o pipe", "passport read --virtual --mrz pipe",
        "passport read --virtual --mrz -", "passport read --virtual --portrait pipe",
        "passport read --virtual --trace pipe",
        "haptic play pipe", "haptic play -", "call --in-process crypto.sign -",
      ]
      try await withThrowingTaskGroup { group in
        for command in commands {
          group.addTask {
            // A background job of the shell would ignore SIGINT.
            let run = try await shell.run(
              """
              mkfifo silent.$$ pipe.$$ && exec 9<> silent.$$
              env --default-signal=INT,TERM $T \(command.replacing("pipe", with: "pipe.$$")) < silent.$$ > /dev/null 2>&1 & process=$!
              # A thread of the program waits for the pipe, as the kernel says where it can.
              for turn in $(seq 300); do
                cat /proc/$process/task/*/wchan 2> /dev/null | grep -qE "wait_for_partner|pipe_read|poll_sched" && break
                sleep 0.1
              done
              sleep 2; kill -0 $process 2> /dev/null || echo "ended without a signal"
              kill -\(signal) $process
              for turn in $(seq 1200); do kill -0 $process 2> /dev/null || break; sleep 0.1; done
              kill -KILL $process 2> /dev/null; wait $process 2> /dev/null; echo $?
              """)
            #expect(run.output == "\(128 + signal)\n", "\(command): \(run.output)\(run.errors)")
          }
        }
        try await group.waitForAll()
      }
    }

    /// Starts a program, and sends it the signal when the trace has an answer of the chip. Prints how it ended: -2 is the
    /// signal SIGINT, and 130 an exit status, which shells do not tell apart.
    private static let sender = """
      import os, subprocess, sys, time
      number, trace = int(sys.argv[1]), sys.argv[2]
      program = subprocess.Popen(
          ["env", "--default-signal=INT,TERM"] + sys.argv[3:] + ["--trace", trace], stdout=subprocess.DEVNULL)
      # The first line is there before the read.
      reads = lambda: os.path.exists(trace) and b"\\n<" in open(trace, "rb").read()
      while program.poll() is None and not reads(): time.sleep(0.01)
      program.send_signal(number)
      print(program.wait())
      """

    @Test("a command cleans up, says so, and ends by the signal itself", arguments: [SIGTERM, SIGINT])
    func signal(_ number: Int32) async throws {
      let folder = try TemporaryFolder()
      let words = [ProgramRun.tessera.path, "passport", "read", "--virtual", "fault-slow"]
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/python3"), ["-c", Self.sender, "\(number)", folder.file("trace")] + words
      ).finish()
      #expect(run.output == "-\(number)\n", "\(run.output)\(run.errors)")
      #expect(run.errors == "tessera: The operation was cancelled.\n", "\(run.errors)")
    }

    /// Starts a program that runs until a signal, and sends it that when it says that it runs. Prints how it ended. PORT
    /// in its arguments is that of a virtual reader, which has asked the chip once.
    private static let ender = """
      import socket, subprocess, sys
      number, sign = int(sys.argv[1]), sys.argv[2].encode()
      reader = socket.create_server(("127.0.0.1", 0))
      words = [word.replace("PORT", str(reader.getsockname()[1])) for word in sys.argv[3:]]
      program = subprocess.Popen(
          ["env", "--default-signal=INT,TERM"] + words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
      while (line := program.stdout.readline()) and sign not in line: pass
      if words != sys.argv[3:]:
          chip = reader.accept()[0]
          chip.sendall(bytes([0, 1, 4]))
          chip.recv(1)
      program.send_signal(number)
      program.stdout.read()
      print(program.wait())
      """
    /// Commands that run until a signal, and what they say when they run.
    private static let untilSignal = [
      ("readers --watch", "This command waits for that."), ("serve --virtual --socket SOCKET", "ready "),
      ("chip run --vpcd 127.0.0.1:PORT", "Read it with: "),
    ]
    private static let noReaders = ["PCSCLITE_CSOCK_NAME": "/proc/nonexistent", "LIBNFC_AUTO_SCAN": "false"]

    @Test(
      "a command that runs until a signal cleans up, then ends by SIGINT itself; after SIGTERM with status 0",
      arguments: untilSignal, [SIGINT, SIGTERM])
    func endless(_ command: (line: String, sign: String), _ signal: Int32) async throws {
      let folder = try TemporaryFolder()
      let words = command.line.replacing("SOCKET", with: folder.file("socket")).split(separator: " ").map(String.init)
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/python3"),
        ["-c", Self.ender, "\(signal)", command.sign, ProgramRun.tessera.path] + words,
        environment: Self.noReaders.merging(["HOME": folder.url.path]) { $1 }
      ).finish()
      #expect(run.output == (signal == SIGINT ? "-\(SIGINT)\n" : "0\n"), "\(run.output)\(run.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.file("socket")))
    }

    @Test("one Ctrl-C ends a loop around such a command", arguments: untilSignal.prefix(2))
    func endlessLoop(_ command: (line: String, sign: String)) async throws {
      let shell = try KeyShell(["TERM": "xterm"].merging(Self.noReaders) { $1 })
      let run = try await shell.runOnTerminal(
        "exec bash -c 'for turn in 1 2 3; do $T \(command.line); echo after $turn; done'",
        answers: [(command.sign, "\u{3}")])
      #expect(run.output.contains(command.sign) && !run.output.contains("after 1"), "\(run.output)")
      #expect(!FileManager.default.fileExists(atPath: shell.folder.file("SOCKET")))
    }

    @Test("one Ctrl-C ends a loop of the shell, too")
    func loop() async throws {
      let shell = try KeyShell(["TERM": "xterm"])
      let run = try await shell.runOnTerminal(
        "exec bash -c 'for turn in 1 2 3; do $T passport read --virtual fault-slow; echo after $turn; done'",
        answers: [("Access granted", "\u{3}")])
      #expect(run.output.contains("The operation was cancelled."), "\(run.output)")
      #expect(!run.output.contains("after 1"), "\(run.output)")
    }
  }
}
