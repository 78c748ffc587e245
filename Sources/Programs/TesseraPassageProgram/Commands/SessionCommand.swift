import ArgumentParser
import FoundationEssentials
import Glibc
import PassageProtocol
import TesseraCore

/// One session for a host program. The library `Passage` starts it.
struct SessionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "session",
    abstract: "Serves a host program over an inherited socket.",
    discussion: """
      The host creates a pair of sockets (SOCK_STREAM), starts this command with one of them as a descriptor, and \
      writes one JSON message per line. When the host closes its end, the process ends. A host can confine the process \
      further, for example with systemd-run --user -p MemoryMax=2G -p IPAddressDeny=..., since it needs nothing but \
      the display, the network, and the descriptor.
      """, shouldDisplay: false)

  @Option(help: ArgumentHelp("The descriptor of the socket.", valueName: "number"))
  var descriptor: Int32

  /// The process is in its sandbox. It checks that.
  @Flag(help: .hidden)
  var confined = false

  func run() throws {
    let socket = HostSocket(descriptor: descriptor)
    guard descriptor > STDERR_FILENO, socket.isUsable else {
      throw Failure(
        .usage, "The descriptor \(descriptor) is not a socket.", remedy: "Use the library Passage, or “open”.")
    }
    do {
      // The processes that WebKit starts must not have the socket, which bubblewrap hands on.
      try OpenFiles.closeAtNextProgram()
      guard confined else {
        try SandboxStart.replaceProcess(
          arguments: ["session", "--descriptor", "\(descriptor)", "--confined"], keeping: descriptor)
      }
      try SandboxCheck.require()
      let folders = PassageFolders(ProcessInfo.processInfo.environment)
      let lock = try ProfileLock(folders.profile)
      try SessionServing.run(socket, folders)
      lock.release()
    } catch {
      let failure = Failure(error)
      _ = socket.write(ViewsMessage.failure(id: nil, failure).json)
      throw failure
    }
  }
}
