import Foundation
import TesseraPictures
import TestSupport
import Testing

@testable import TesseraBarcodes

extension RealPrograms {
  @Suite("A libzxing that fails", .serialized)
  struct FailingLibraryTests {
    /// What a libzxing of the tests does in a search, and what the reader says.
    static let ends: [(String, BarcodeError)] = [
      ("abort();", .failed), ("*(volatile int *)0 = 1;", .failed), ("for (;;);", .tookTooLong), ("_exit(0);", .failed),
      ("kill(getpid(), SIGKILL);", .failed),
    ]

    @Test("a library that crashes or does not come to an end ends the search only", arguments: ends)
    func crash(_ end: String, _ error: BarcodeError) throws {
      let picture = try Pictures.plain(64, 64)
      for library in [try MadeLibrary.first(end), try MadeLibrary.second(end)] {
        #expect(throws: error) { try BarcodeReader(.frame, folder: library.url.path).read(picture) }
      }
      // The reader of the system's library is not affected.
      #expect(try BarcodeReader(.frame).read(picture).isEmpty)
    }

    @Test("a library that waits for ever is ended by the clock")
    func waiting() throws {
      let library = try MadeLibrary.second("for (;;) pause()")
      let limits = BarcodeLimits(clock: .milliseconds(300))
      #expect(throws: BarcodeError.tookTooLong) {
        try BarcodeReader(.frame, folder: library.url.path, limits: limits).read(Pictures.plain(64, 64))
      }
    }

    @Test("the time on the clock is that of the whole search, and not of each symbol")
    func slow() throws {
      let library = try MadeLibrary.second(
        #"for (int index = 0; index < 16; index++) found(&index, 1)"#, handingOver: "usleep(200000)")
      let limits = BarcodeLimits(clock: .seconds(1))
      let reader = BarcodeReader(.frame, folder: library.url.path, limits: limits)
      let picture = try Pictures.plain(64, 64)
      // None at all on a busy machine.
      let result = Result { () throws(BarcodeError) in try reader.read(picture) }
      switch result {
      case .success(let found): #expect(found.count < 16)
      case .failure(let error): #expect(error == .tookTooLong)
      }
    }

    @Test("a library has a limit of memory")
    func memory() throws {
      // Without the limit it would come to no end.
      let greedy = "for (int count = 0; count < 65536; count++) if (!malloc(1 << 20)) abort(); for (;;)"
      for library in [try MadeLibrary.first(greedy + ";"), try MadeLibrary.second(greedy)] {
        #expect(throws: BarcodeError.failed) {
          try BarcodeReader(.frame, folder: library.url.path).read(Pictures.plain(64, 64))
        }
      }
      // It is above what this process has, so that 256 GB of addresses that nobody uses do no harm.
      let size = 256 << 30
      let region = mmap(nil, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
      try #require(region != MAP_FAILED)
      defer { munmap(region, size) }
      let picture = try Pictures.fixture("pictures/08-qrcode-etd-v4-p256.png")
      #expect(try BarcodeReader(.frame).read(picture).count == 1)
      let modest = try MadeLibrary.second(
        #"if (mmap(0, 256 << 20, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) found("M", 1)"#)
      #expect(try BarcodeReader(.frame, folder: modest.url.path).read(picture).map(\.bytes) == [[0x4D]])
      let limits = BarcodeLimits(memory: 128 << 20)
      #expect(try BarcodeReader(.frame, folder: modest.url.path, limits: limits).read(picture).isEmpty)
    }

    @Test("what the library hands over is bounded, and its corners are inside the picture")
    func bounds() throws {
      let library = try MadeLibrary.second(
        """
        static uint8_t bytes[8193];
        found(bytes, 0); found(bytes, 8193);
        for (int index = 0; index < 40; index++) { bytes[0] = index; found(bytes, 8192 - index); }
        """)
      let found = try BarcodeReader(.frame, folder: library.url.path).read(Pictures.plain(64, 48))
      #expect(found.map(\.bytes.count) == (0..<16).map { 8192 - $0 })
      #expect(found.first?.corners.map(\.x) == [1, 3, 0, 7])
      #expect(found.first?.corners.map(\.y) == [2, 4, 6, 47])
    }

    @Test("a process that cannot be made is named")
    func noProcess() async {
      await #expect(processExitsWith: .success) {
        let picture = try Pictures.plain(64, 64)
        try BarcodeReader.prepare()
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = 3
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var caught: BarcodeError?
        do { _ = try BarcodeReader(.frame).read(picture) } catch { caught = error as? BarcodeError }
        exit(caught == .noProcess ? EXIT_SUCCESS : EXIT_FAILURE)
      }
    }

    /// An exception that nothing catches ends a process as `abort` does.
    @Test("a library that fails while it makes a symbol ends the making only")
    func writing() throws {
      for (end, error) in [
        ("abort()", BarcodeWriterError.tooLong(.qrCode, 1)), ("*(volatile int *)0 = 1", .tooLong(.qrCode, 1)),
        ("_exit(0)", .tooLong(.qrCode, 1)), ("for (;;)", .library(.tookTooLong)),
      ] {
        let library = try MadeLibrary.second("", writing: end)
        #expect(throws: error) { try BarcodeWriter(.qrCode, folder: library.url.path).write([1]) }
      }
    }

    @Test("a process that cannot be prepared is named, and no failure of libzxing")
    func notBegun() async {
      await #expect(processExitsWith: .success) {
        let picture = try Pictures.plain(64, 64)
        try BarcodeReader.prepare()
        // Room for the pair of sockets here, and none for the descriptor of the child.
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = 3
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        for descriptor: Int32 in 0..<2 { close(descriptor) }
        var caught: BarcodeError?
        do { _ = try BarcodeReader(.frame).read(picture) } catch { caught = error as? BarcodeError }
        exit(caught == .noProcess ? EXIT_SUCCESS : EXIT_FAILURE)
      }
    }

    @Test("a library that hands over symbols without end comes to one")
    func endless() throws {
      let library = try MadeLibrary.second(#"found("x", 1); symbol_count = 1 << 30"#)
      let found = try BarcodeReader(.frame, folder: library.url.path).read(Pictures.plain(64, 64))
      #expect(found.map(\.bytes) == [[0x78]])
    }

    @Test("each error has its own cause and remedy")
    func failures() {
      let failures = [
        BarcodeError.missingLibrary, .failed, .tookTooLong, .noProcess, .partOfSeveral,
      ].map(\.failure)
      #expect(Set(failures.map(\.cause)).count == 5)
      #expect(Set(failures.compactMap(\.remedy)).count == 5)
    }
  }
}
