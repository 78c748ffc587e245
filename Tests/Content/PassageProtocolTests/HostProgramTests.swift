import Foundation
import TesseraJSON
import TestSupport
import Testing

@testable import PassageProtocol

extension RealPrograms {
  @Suite("A program that a host starts")
  struct HostProgramTests {
    /// - Parameter script: Python, which talks over the descriptor 3.
    /// - Returns: The path of a program with this script.
    private static func program(_ script: String, _ folder: TemporaryFolder) throws -> String {
      let (source, file) = (folder.file("source"), folder.file("tessera-passage"))
      try Data("#!/usr/bin/python3\nimport os, sys\n\(script)\n".utf8).write(to: URL(fileURLWithPath: source))
      // The kernel runs no file that this process has open for writing, or a program that another test starts now.
      try #require(ProgramRun.succeeds("/usr/bin/install", ["-m", "755", source, file]))
      return file
    }

    // The standard streams belong to a whole process.
    @Test("a host without standard streams talks to it, and the program has streams of its own")
    func closedStreams() async throws {
      let folder = try TemporaryFolder()
      let file = try Self.program(
        """
        message = os.read(3, 1000)
        links = [os.readlink("/proc/self/fd/%d" % number) for number in range(4)]
        kinds = [link.split(":")[0] for link in links] + ["other" if links[2] != links[3] else "same"]
        os.write(3, message + ('"%s"\\n' % " ".join(kinds)).encode())
        """, folder)
      await #expect(processExitsWith: .success) { [file = file as String] in
        for descriptor in STDIN_FILENO...STDERR_FILENO { close(descriptor) }
        let run = try SessionProgram(path: file).start()
        // What the host prints would reach the program.
        for descriptor in STDIN_FILENO...STDERR_FILENO { #expect(fcntl(descriptor, F_GETFD) < 0, "\(descriptor)") }
        #expect(run.socket.write("message"))
        var lines: [JSONValue] = []
        try run.socket.read { line in
          lines.append(line.value)
          return true
        }
        #expect(lines == ["message", "/dev/null /dev/null socket socket other"])
        #expect(run.waitUntilExit() == 0)
      }
    }

    @Test("a host whose standard error is a closed pipe lives on")
    func closedPipe() async throws {
      let folder = try TemporaryFolder()
      let file = try Self.program("print('One.\\nTwo.', file=sys.stderr)", folder)
      await #expect(processExitsWith: .success) { [file = file as String] in
        signal(SIGPIPE, SIG_DFL)
        let pipe = Pipe()
        try #require(dup2(pipe.fileHandleForWriting.fileDescriptor, STDERR_FILENO) == STDERR_FILENO)
        try pipe.fileHandleForReading.close()
        let run = try SessionProgram(path: file).start()
        #expect(run.waitUntilExit() == 0)
        var isEnd = false
        for _ in 0..<60 where !isEnd { isEnd = run.waitForLastLines() }
        #expect(isEnd)
        // The end of this test writes to standard error, too.
        signal(SIGPIPE, SIG_IGN)
      }
    }

    @Test("a host that ends waits for the program's last lines, but not for ever")
    func lastLines() async throws {
      let folder = try TemporaryFolder()
      let file = try Self.program("os.write(2, b'ten bytes\\n' * 10_000)", folder)
      // It has no place for all lines: pipes differ between machines.
      let pipe = Pipe()
      let (F_SETPIPE_SZ, room): (Int32, Int32) = (1_031, 65_536)
      try #require(fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETPIPE_SZ, room) == room)
      let run = try SessionProgram(path: file).start(errorsTo: pipe.fileHandleForWriting.fileDescriptor)
      #expect(run.waitUntilExit() == 0)
      #expect(!run.waitForLastLines(within: .seconds(1)))
      let text = try pipe.fileHandleForReading.read(upToCount: 100_000)
      #expect(text == Data(String(repeating: "ten bytes\n", count: 10_000).utf8))
      var isEnd = false
      for _ in 0..<60 where !isEnd { isEnd = run.waitForLastLines() }
      #expect(isEnd)
    }

    @Test("a host waits longer for an answer than the views for what comes before it")
    func times() {
      // What the token and what the configuration want removed, and then a script.
      #expect(HostTiming.answer > HostTiming.removal * 2 + HostTiming.script)
      for kind in AutomationCommand.ScriptKind.allCases { #expect(kind.timeLimit < HostTiming.script, "\(kind)") }
      #expect(HostTiming.ending > HostTiming.goodbye + HostTiming.lastRequests)
    }
  }
}
