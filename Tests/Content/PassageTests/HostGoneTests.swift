import Foundation
import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.PassageTests {
  /// The process with the views, when its host leaves.
  @Suite("The host is gone")
  struct HostGoneTests {
    /// A host that leaves when it is told to, and then prints the status of the process.
    private static let host = """
      import socket, subprocess, sys
      ours, theirs = socket.socketpair()
      process = subprocess.Popen(
          [sys.argv[1], "session", "--descriptor", str(theirs.fileno())], pass_fds=[theirs.fileno()])
      theirs.close()
      ours.sendall("".join(message + "\\n" for message in sys.argv[2:]).encode())
      sys.stdin.read()
      ours.close()
      print(process.wait())
      """

    @Test("before the user answered there is nobody to say goodbye to, and the process waits for nothing")
    func beforeConsent() async throws {
      let lab = try await PassageLab()
      let controller = try await Controller()
      try controller.configure("/home.html")
      let messages: [HostMessage] = [
        .configure(PassageConfig(uiUrl: controller.ui, apiUrl: controller.address)),
        .open(PassageOpening(intentToken: PassageLab.token(), presentation: .modal)),
      ]
      let input = Pipe()
      let program = try RunningProgram(
        URL(fileURLWithPath: "/usr/bin/python3"),
        ["-c", Self.host, PassageLab.program.path] + messages.map(\.json.text), standardInput: input,
        environment: lab.environment)
      try await controller.wait("the configuration") { $0.contains { $0["event"] == "configuration" } }
      try input.fileHandleForWriting.close()
      let run = await program.finish(within: 120)
      #expect(run.output == "0\n", "\(run.errors)")
      // The process says so when it waits for an end that does not come.
      #expect(!run.errors.contains("did not end in time"))
      #expect(controller.events("connect").isEmpty)
    }
  }
}
