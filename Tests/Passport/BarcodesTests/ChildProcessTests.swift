import Foundation
import TesseraPictures
import TestSupport
import Testing

@testable import TesseraBarcodes

extension RealPrograms {
  /// The process in which libzxing runs, as a library sees it.
  @Suite("The process of libzxing", .serialized)
  struct ChildProcessTests {
    /// Writes what it sees as the content of a symbol.
    static let looking = #"""
      char text[4096];
      int length = snprintf(text, sizeof text, "descriptors");
      for (int descriptor = 0; descriptor < 4096; descriptor++) {
        struct stat state;
        if (fstat(descriptor, &state) != 0) continue;
        length += snprintf(text + length, sizeof text - length, " %d%s", descriptor, S_ISSOCK(state.st_mode) ? "s" : "?");
      }
      struct rlimit core, time, space;
      getrlimit(RLIMIT_CORE, &core), getrlimit(RLIMIT_CPU, &time), getrlimit(RLIMIT_AS, &space);
      length += snprintf(text + length, sizeof text - length, "\ncore %lu %lu, dumpable %d",
        (unsigned long)core.rlim_cur, (unsigned long)core.rlim_max, prctl(PR_GET_DUMPABLE));
      length += snprintf(text + length, sizeof text - length, "\nseconds %lu %lu, %s",
        (unsigned long)time.rlim_cur, (unsigned long)time.rlim_max, space.rlim_cur == RLIM_INFINITY ? "any memory" : "limit");
      int death = 0;
      prctl(PR_GET_PDEATHSIG, &death);
      length += snprintf(text + length, sizeof text - length, "\nends by %d with its parent", death);
      sigset_t blocked;
      sigprocmask(SIG_BLOCK, NULL, &blocked);
      length += snprintf(text + length, sizeof text - length, "\nblocked:");
      int const numbers[] = {SIGINT, SIGTERM, SIGTSTP, SIGHUP, SIGPIPE, SIGCHLD, SIGUSR1, SIGXCPU};
      for (int index = 0; index < 8; index++)
        length += snprintf(text + length, sizeof text - length, " %d", sigismember(&blocked, numbers[index]));
      length += snprintf(text + length, sizeof text - length, "\nhandled:");
      for (int number = 1; number < 32; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
          length += snprintf(text + length, sizeof text - length, " %d", number);
      }
      found(text, length)
      """#

    static let expected = """
      descriptors 3s
      core 0 0, dumpable 0
      seconds 3 4, limit
      ends by 9 with its parent
      blocked: 1 1 1 1 1 1 1 0
      handled:
      """

    private static func seen() throws -> [String] {
      let library = try MadeLibrary.second(looking)
      return try BarcodeReader(.frame, folder: library.url.path).read(Pictures.plain(64, 64))
        .map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test("it has one descriptor, no core dump, no handler, and ends with its parent")
    func state() throws {
      // Descriptors that programs it starts would inherit.
      let files = (0..<40).map { _ in open("/dev/null", O_RDONLY) }
      defer { for file in files { close(file) } }
      #expect(try Self.seen() == [Self.expected])
    }

    @Test("the same from a process without standard input, output and errors")
    func withoutStandardStreams() async {
      await #expect(processExitsWith: .success) {
        let picture = try Pictures.plain(64, 64)
        let library = try MadeLibrary.second(ChildProcessTests.looking)
        for descriptor: Int32 in 0..<3 { close(descriptor) }
        let found = try BarcodeReader(.frame, folder: library.url.path).read(picture)
        let isExpected = found.map { String(decoding: $0.bytes, as: UTF8.self) } == [ChildProcessTests.expected]
        exit(isExpected ? EXIT_SUCCESS : EXIT_FAILURE)
      }
    }

    @Test("it is read and ended also if the program waits for all its children, or for none")
    func reaped() async {
      await #expect(processExitsWith: .success) {
        let picture = try Pictures.fixture("pictures/08-qrcode-etd-v4-p256.png")
        let library = try MadeLibrary.second("for (;;) pause()")
        // The kernel waits for the children of such a program, and their identifiers can be others' at once.
        signal(SIGCHLD, SIG_IGN)
        let found = try BarcodeReader(.frame).read(picture)
        var caught: BarcodeError?
        let reader = BarcodeReader(.frame, folder: library.url.path, limits: BarcodeLimits(clock: .milliseconds(300)))
        do { _ = try reader.read(picture) } catch { caught = error as? BarcodeError }
        exit(found.count == 1 && caught == .tookTooLong ? EXIT_SUCCESS : EXIT_FAILURE)
      }
    }
  }
}
