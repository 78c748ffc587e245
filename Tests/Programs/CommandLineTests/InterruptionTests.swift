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
