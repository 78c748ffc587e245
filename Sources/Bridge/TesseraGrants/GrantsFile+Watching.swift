import FoundationEssentials
import Glibc
import TesseraThreads

extension GrantsFile {
  /// Tells when the file may have changed: its folder, or that of the file that a link leads to, has another entry or
  /// content. Nothing wakes up while nothing happens. The stream stays silent if the kernel permits no watch.
  package static func changes(of path: String) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    // Its end is the end of the watch.
    var ends: [Int32] = [-1, -1]
    guard descriptor >= 0, pipe(&ends) == 0 else {
      if descriptor >= 0 { close(descriptor) }
      return stream
    }
    let (end, ending) = (ends[0], ends[1])
    for opened in ends { _ = fcntl(opened, F_SETFD, FD_CLOEXEC) }
    watch(path, descriptor)
    // A thread of its own: the first source of Dispatch in a process begins a timer that wakes it every second.
    let work = BlockingWork(name: "grants-file")
    Task {
      try? await work.run {
        var waiting = [
          pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: end, events: Int16(POLLIN), revents: 0),
        ]
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while poll(&waiting, 2, -1) >= 0 || errno == EINTR {
          if waiting[1].revents != 0 { break }
          while Glibc.read(descriptor, &buffer, buffer.count) > 0 {}
          // A folder that was missing may be there now.
          watch(path, descriptor)
          continuation.yield()
        }
        close(descriptor)
        close(end)
      }
    }
    // The thread sees the end of the pipe.
    continuation.onTermination = { _ in close(ending) }
    return stream
  }

  /// Watches the folder of the file, or the nearest one that exists. To watch a folder again changes nothing.
  private static func watch(_ path: String, _ descriptor: Int32) {
    let events =
      IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF
    for name in Set([path, URL(fileURLWithPath: path).resolvingSymlinksInPath().path]) {
      let wanted = URL(fileURLWithPath: name).deletingLastPathComponent()
      var folder = wanted
      while inotify_add_watch(descriptor, folder.path, UInt32(events)) < 0, folder.path != "/" {
        folder = folder.deletingLastPathComponent()
      }
      // It may have been made before its parent was watched.
      if folder != wanted { _ = inotify_add_watch(descriptor, wanted.path, UInt32(events)) }
    }
  }
}
